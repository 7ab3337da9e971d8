package dev.holdfast.storage;

import dev.holdfast.codec.TypeRef;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.stream.Stream;

/**
 * The keys, values and the alarm of an object: what a storage and a transaction on it have in
 * common. See {@link ObjectStorage} for limits and threads.
 *
 * <p>Every method checks the thread, the transaction and the limits before it reads or writes
 * anything.
 */
public interface TransactionalStorage {

  /**
   * Returns the value of a key.
   *
   * @param <T> the Java type of the values
   * @param key the key
   * @param type the Java type of the result; {@code Object.class} for the natural type of the value
   * @return the value; empty if the key does not exist or its value is null
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, or the transaction has ended
   * @throws dev.holdfast.errors.StorageLimitException if the key is too long
   * @throws dev.holdfast.errors.UncopyableValueException if a value is not of this type; a record
   *     also if the value lacks a primitive component without a default, or has a component that
   *     the record lacks
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  default <T> Optional<T> get(String key, Class<T> type) {
    return get(key, type, ReadOptions.DEFAULT);
  }

  /**
   * Returns the value of a key.
   *
   * @param <T> the Java type of the values
   * @param key the key
   * @param type the Java type of the result; {@code Object.class} for the natural type of the value
   * @param options how to read
   * @return the value; empty if the key does not exist or its value is null
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, or the transaction has ended
   * @throws dev.holdfast.errors.StorageLimitException if the key is too long
   * @throws dev.holdfast.errors.UncopyableValueException if a value is not of this type; a record
   *     also if the value lacks a primitive component without a default, or has a component that
   *     the record lacks
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  <T> Optional<T> get(String key, Class<T> type, ReadOptions options);

  /**
   * Returns the value of a key, read as a type with arguments, such as {@code List<Line>}.
   *
   * @param <T> the Java type of the value
   * @param key the key
   * @param type the Java type of the result
   * @return the value; empty if the key does not exist or its value is null
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, or the transaction has ended
   * @throws dev.holdfast.errors.StorageLimitException if the key is too long
   * @throws dev.holdfast.errors.UncopyableValueException if a value is not of this type, as in
   *     {@link #get(String, Class, ReadOptions)}; or the type cannot be read
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  default <T> Optional<T> get(String key, TypeRef<T> type) {
    return get(key, type, ReadOptions.DEFAULT);
  }

  /**
   * Returns the value of a key, read as a type with arguments, such as {@code List<Line>}.
   *
   * @param <T> the Java type of the value
   * @param key the key
   * @param type the Java type of the result
   * @param options how to read
   * @return the value; empty if the key does not exist or its value is null
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, or the transaction has ended
   * @throws dev.holdfast.errors.StorageLimitException if the key is too long
   * @throws dev.holdfast.errors.UncopyableValueException if a value is not of this type, as in
   *     {@link #get(String, Class, ReadOptions)}; or the type cannot be read
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  <T> Optional<T> get(String key, TypeRef<T> type, ReadOptions options);

  /**
   * Returns the values of several keys, in ascending UTF-8 order of the keys. Keys that do not
   * exist are absent.
   *
   * @param <T> the Java type of the values
   * @param keys at most 128
   * @param type the Java type of the values; {@code Object.class} for their natural types
   * @return the values by key
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, or the transaction has ended
   * @throws dev.holdfast.errors.StorageLimitException if there are too many keys, or one is too
   *     long
   * @throws dev.holdfast.errors.UncopyableValueException if a value is not of this type; a record
   *     also if the value lacks a primitive component without a default, or has a component that
   *     the record lacks
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  default <T> SequencedMap<String, T> get(Collection<String> keys, Class<T> type) {
    return get(keys, type, ReadOptions.DEFAULT);
  }

  /**
   * Returns the values of several keys, in ascending UTF-8 order of the keys. Keys that do not
   * exist are absent.
   *
   * @param <T> the Java type of the values
   * @param keys at most 128
   * @param type the Java type of the values; {@code Object.class} for their natural types
   * @param options how to read
   * @return the values by key
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, or the transaction has ended
   * @throws dev.holdfast.errors.StorageLimitException if there are too many keys, or one is too
   *     long
   * @throws dev.holdfast.errors.UncopyableValueException if a value is not of this type; a record
   *     also if the value lacks a primitive component without a default, or has a component that
   *     the record lacks
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  <T> SequencedMap<String, T> get(Collection<String> keys, Class<T> type, ReadOptions options);

  /**
   * Returns the values of several keys, read as a type with arguments.
   *
   * @param <T> the Java type of the values
   * @param keys at most 128
   * @param type the Java type of the values
   * @param options how to read
   * @return the values by key
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, or the transaction has ended
   * @throws dev.holdfast.errors.StorageLimitException if there are too many keys, or one is too
   *     long
   * @throws dev.holdfast.errors.UncopyableValueException if a value is not of this type, as in
   *     {@link #get(Collection, Class, ReadOptions)}; or the type cannot be read
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  <T> SequencedMap<String, T> get(Collection<String> keys, TypeRef<T> type, ReadOptions options);

  /**
   * Stores a value. Null is one, as in JavaScript: {@code get} has no value then, as for a key that
   * is absent, and {@code list} has the key with null. {@code delete} removes a key.
   *
   * @param key the key
   * @param value the value, copied now; every {@code Instant} in it is cut to the millisecond
   *     towards the past
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, or the transaction has ended
   * @throws dev.holdfast.errors.StorageLimitException if the key or the value is too long
   * @throws dev.holdfast.errors.UncopyableValueException if a value cannot be stored, or has a
   *     record that could never be read as its class again; the message names the path of the
   *     component
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  default void put(String key, Object value) {
    put(key, value, WriteOptions.DEFAULT);
  }

  /**
   * Stores a value. Null is one, as in JavaScript: {@code get} has no value then, as for a key that
   * is absent, and {@code list} has the key with null. {@code delete} removes a key.
   *
   * @param key the key
   * @param value the value, copied now; every {@code Instant} in it is cut to the millisecond
   *     towards the past
   * @param options how to write
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, or the transaction has ended
   * @throws dev.holdfast.errors.StorageLimitException if the key or the value is too long
   * @throws dev.holdfast.errors.UncopyableValueException if a value cannot be stored, or has a
   *     record that could never be read as its class again; the message names the path of the
   *     component
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  void put(String key, Object value, WriteOptions options);

  /**
   * Stores several pairs. Checks all pairs before it writes the first one.
   *
   * @param entries at most 128
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, or the transaction has ended
   * @throws dev.holdfast.errors.StorageLimitException if there are too many pairs, or a key or a
   *     value is too long
   * @throws dev.holdfast.errors.UncopyableValueException if a value cannot be stored, or has a
   *     record that could never be read as its class again; the message names the path of the
   *     component
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  default void put(Map<String, ?> entries) {
    put(entries, WriteOptions.DEFAULT);
  }

  /**
   * Stores several pairs. Checks all pairs before it writes the first one.
   *
   * @param entries at most 128
   * @param options how to write
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, or the transaction has ended
   * @throws dev.holdfast.errors.StorageLimitException if there are too many pairs, or a key or a
   *     value is too long
   * @throws dev.holdfast.errors.UncopyableValueException if a value cannot be stored, or has a
   *     record that could never be read as its class again; the message names the path of the
   *     component
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  void put(Map<String, ?> entries, WriteOptions options);

  /**
   * Deletes a key.
   *
   * @param key the key
   * @return whether the key existed
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, or the transaction has ended
   * @throws dev.holdfast.errors.StorageLimitException if the key is too long
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  default boolean delete(String key) {
    return delete(key, WriteOptions.DEFAULT);
  }

  /**
   * Deletes a key.
   *
   * @param key the key
   * @param options how to write
   * @return whether the key existed
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, or the transaction has ended
   * @throws dev.holdfast.errors.StorageLimitException if the key is too long
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  boolean delete(String key, WriteOptions options);

  /**
   * Deletes several keys.
   *
   * @param keys at most 128
   * @return the number of keys that existed
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, or the transaction has ended
   * @throws dev.holdfast.errors.StorageLimitException if there are too many keys, or one is too
   *     long
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  default int delete(Collection<String> keys) {
    return delete(keys, WriteOptions.DEFAULT);
  }

  /**
   * Deletes several keys.
   *
   * @param keys at most 128
   * @param options how to write
   * @return the number of keys that existed
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, or the transaction has ended
   * @throws dev.holdfast.errors.StorageLimitException if there are too many keys, or one is too
   *     long
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  int delete(Collection<String> keys, WriteOptions options);

  /**
   * Returns all pairs, in ascending UTF-8 order of the keys. Loads all of them into memory.
   *
   * @param <T> the Java type of the values
   * @param type the Java type of the values; {@code Object.class} for their natural types
   * @return the pairs
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, or the transaction has ended
   * @throws dev.holdfast.errors.UncopyableValueException if a value is not of this type; a record
   *     also if the value lacks a primitive component without a default, or has a component that
   *     the record lacks
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  default <T> SequencedMap<String, T> list(Class<T> type) {
    return list(ListOptions.ALL, type);
  }

  /**
   * Returns the pairs that the options select, in their order. Loads all of them into memory.
   *
   * @param <T> the Java type of the values
   * @param options which pairs
   * @param type the Java type of the values; {@code Object.class} for their natural types
   * @return the pairs
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, or the transaction has ended
   * @throws dev.holdfast.errors.UncopyableValueException if a value is not of this type; a record
   *     also if the value lacks a primitive component without a default, or has a component that
   *     the record lacks
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  <T> SequencedMap<String, T> list(ListOptions options, Class<T> type);

  /**
   * Returns the pairs that the options select, their values read as a type with arguments.
   *
   * @param <T> the Java type of the values
   * @param options which pairs
   * @param type the Java type of the values
   * @return the pairs
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, or the transaction has ended
   * @throws dev.holdfast.errors.UncopyableValueException if a value is not of this type, as in
   *     {@link #list(ListOptions, Class)}; or the type cannot be read
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  <T> SequencedMap<String, T> list(ListOptions options, TypeRef<T> type);

  /**
   * Returns the pairs that the options select, in their order, without loading all of them. The
   * stream reads a part of at most {@link StorageLimits#STREAM_PAIRS_MAX} pairs when it gets there.
   * Each part is what the storage holds at that moment: writes after the part are seen, writes in
   * it or before it are not. So the stream continues after a wait of the object, and several
   * streams may be open. Use it only in turns of this object.
   *
   * @param <T> the Java type of the values
   * @param options which pairs
   * @param type the Java type of the values; {@code Object.class} for their natural types
   * @return the pairs; sequential, each an immutable entry whose value is null for a stored null
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, or the transaction has ended; reading the stream also fails so
   * @throws dev.holdfast.errors.UncopyableValueException from the stream, if a value is not of this
   *     type
   * @throws dev.holdfast.errors.StorageFailedException from the stream, if the storage fails; the
   *     object is reset
   */
  <T> Stream<Map.Entry<String, T>> stream(ListOptions options, Class<T> type);

  /**
   * Returns the pairs that the options select without loading all of them, as {@link
   * #stream(ListOptions, Class)} does, their values read as a type with arguments.
   *
   * @param <T> the Java type of the values
   * @param options which pairs
   * @param type the Java type of the values
   * @return the pairs; sequential, each an immutable entry whose value is null for a stored null
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, or the transaction has ended; reading the stream also fails so
   * @throws dev.holdfast.errors.UncopyableValueException from the stream, if a value is not of this
   *     type, or the type cannot be read
   * @throws dev.holdfast.errors.StorageFailedException from the stream, if the storage fails; the
   *     object is reset
   */
  <T> Stream<Map.Entry<String, T>> stream(ListOptions options, TypeRef<T> type);

  /**
   * Returns the time of the object's alarm.
   *
   * @return the time that was set, also between retries; empty if no alarm is set, or if it runs
   *     and was not set again
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, or the transaction has ended
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  default Optional<Instant> getAlarm() {
    return getAlarm(ReadOptions.DEFAULT);
  }

  /**
   * Returns the time of the object's alarm.
   *
   * @param options how to read
   * @return the time; empty if no alarm is set, or if it runs and was not set again
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, or the transaction has ended
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  Optional<Instant> getAlarm(ReadOptions options);

  /**
   * Sets the object's alarm, and replaces one that is set. An alarm that runs continues.
   *
   * @param time when {@link dev.holdfast.alarm.AlarmHandler#alarm} runs, cut to milliseconds; a
   *     time in the past means as soon as possible, and {@link #getAlarm} then returns the time of
   *     this call
   * @throws IllegalArgumentException if the time is not after 1970-01-01, or is after 2262-04-11,
   *     when its nanoseconds no longer fit in a long
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, or the transaction has ended
   * @throws dev.holdfast.errors.AlarmException if the object does not implement {@link
   *     dev.holdfast.alarm.AlarmHandler}, which is not checked in its factory, or its runtime fires
   *     no alarms
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  default void setAlarm(Instant time) {
    setAlarm(time, WriteOptions.DEFAULT);
  }

  /**
   * Sets the object's alarm, and replaces one that is set. An alarm that runs continues.
   *
   * @param time when {@link dev.holdfast.alarm.AlarmHandler#alarm} runs, cut to milliseconds; a
   *     time in the past means as soon as possible, and {@link #getAlarm} then returns the time of
   *     this call
   * @param options how to write
   * @throws IllegalArgumentException if the time is not after 1970-01-01, or is after 2262-04-11,
   *     when its nanoseconds no longer fit in a long
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, or the transaction has ended
   * @throws dev.holdfast.errors.AlarmException if the object does not implement {@link
   *     dev.holdfast.alarm.AlarmHandler}, which is not checked in its factory, or its runtime fires
   *     no alarms
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  void setAlarm(Instant time, WriteOptions options);

  /**
   * Deletes the object's alarm, if one is set. An alarm that runs continues; it is not tried again
   * if its handler fails after that.
   *
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, or the transaction has ended
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  default void deleteAlarm() {
    deleteAlarm(WriteOptions.DEFAULT);
  }

  /**
   * Deletes the object's alarm, if one is set. An alarm that runs continues; it is not tried again
   * if its handler fails after that.
   *
   * @param options how to write
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, or the transaction has ended
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  void deleteAlarm(WriteOptions options);
}
