package dev.holdfast.storage;

import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.stream.Stream;

/**
 * What a storage and a transaction on it have in common: keys and values. See {@link ObjectStorage}
 * for limits, threads and errors; a transaction has one more error, {@link
 * dev.holdfast.MisuseException}, for use after its end.
 */
public interface TransactionalStorage {

  /**
   * Returns the value of a key.
   *
   * @param <T> the Java type of the values
   * @param key the key
   * @param type the Java type to convert the value to; {@code Object.class} for its natural type
   * @return the value; empty if the key does not exist or its value is null
   * @throws dev.holdfast.UncopyableValueException if the value is not of this type; a record also
   *     if the value lacks a primitive component, or lacks any component and has another instead
   */
  default <T> Optional<T> get(String key, Class<T> type) {
    return get(key, type, ReadOptions.DEFAULT);
  }

  /**
   * Returns the value of a key.
   *
   * @param <T> the Java type of the values
   * @param key the key
   * @param type the Java type to convert the value to
   * @param options how to read
   * @return the value; empty if the key does not exist or its value is null
   */
  <T> Optional<T> get(String key, Class<T> type, ReadOptions options);

  /**
   * Returns the values of several keys, in ascending UTF-8 order of key; keys that do not exist are
   * absent.
   *
   * @param <T> the Java type of the values
   * @param keys at most 128
   * @param type the Java type to convert the values to
   * @return the values by key
   */
  default <T> SequencedMap<String, T> get(Collection<String> keys, Class<T> type) {
    return get(keys, type, ReadOptions.DEFAULT);
  }

  /**
   * Returns the values of several keys, in ascending UTF-8 order of key; keys that do not exist are
   * absent.
   *
   * @param <T> the Java type of the values
   * @param keys at most 128
   * @param type the Java type to convert the values to
   * @param options how to read
   * @return the values by key
   */
  <T> SequencedMap<String, T> get(Collection<String> keys, Class<T> type, ReadOptions options);

  /**
   * Stores a value.
   *
   * @param key the key
   * @param value the value, copied now; an {@code Instant}, wherever it is in it, is cut to the
   *     millisecond towards the past
   * @throws dev.holdfast.UncopyableValueException if the value cannot be stored, or has a record
   *     that could never be read as its class again; the message has the path of the component
   */
  default void put(String key, Object value) {
    put(key, value, WriteOptions.DEFAULT);
  }

  /**
   * Stores a value.
   *
   * @param key the key
   * @param value the value, copied now; an {@code Instant}, wherever it is in it, is cut to the
   *     millisecond towards the past
   * @param options how to write
   */
  void put(String key, Object value, WriteOptions options);

  /**
   * Stores several pairs. All are checked before the first is written.
   *
   * @param entries at most 128
   */
  default void put(Map<String, ?> entries) {
    put(entries, WriteOptions.DEFAULT);
  }

  /**
   * Stores several pairs. All are checked before the first is written.
   *
   * @param entries at most 128
   * @param options how to write
   */
  void put(Map<String, ?> entries, WriteOptions options);

  /**
   * Deletes a key.
   *
   * @param key the key
   * @return whether the key existed
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
   */
  boolean delete(String key, WriteOptions options);

  /**
   * Deletes several keys.
   *
   * @param keys at most 128
   * @return how many of them existed
   */
  default int delete(Collection<String> keys) {
    return delete(keys, WriteOptions.DEFAULT);
  }

  /**
   * Deletes several keys.
   *
   * @param keys at most 128
   * @param options how to write
   * @return how many of them existed
   */
  int delete(Collection<String> keys, WriteOptions options);

  /**
   * Returns all pairs, in ascending UTF-8 order of key. Loads them all into memory.
   *
   * @param <T> the Java type of the values
   * @param type the Java type to convert the values to
   * @return the pairs that were found
   */
  default <T> SequencedMap<String, T> list(Class<T> type) {
    return list(ListOptions.ALL, type);
  }

  /**
   * Returns the pairs that the options select, in the options' order. Loads them all into memory.
   *
   * @param <T> the Java type of the values
   * @param options which pairs
   * @param type the Java type to convert the values to
   * @return the pairs that were found
   */
  <T> SequencedMap<String, T> list(ListOptions options, Class<T> type);

  /**
   * Returns the pairs that the options select, in the options' order, without loading them all: a
   * part at a time, of at most {@link StorageLimits#STREAM_PAIRS_MAX} pairs, when the stream gets
   * there. Each part is what the storage holds at that moment; what is written, changed or deleted
   * beyond that part is seen so, what is in it or behind it is not. So the stream goes on after a
   * wait of the object, and several may run at once. Used only in turns of this object.
   *
   * @param <T> the Java type of the values
   * @param options which pairs
   * @param type the Java type to convert the values to
   * @return the pairs; sequential, each as an immutable entry whose value is null for a stored null
   */
  <T> Stream<Map.Entry<String, T>> stream(ListOptions options, Class<T> type);

  /**
   * Returns the time of the object's alarm.
   *
   * @return the time; empty if none is set, or it is running and was not set again; between retries
   *     the time that was set
   */
  default Optional<Instant> getAlarm() {
    return getAlarm(ReadOptions.DEFAULT);
  }

  /**
   * Returns the time of the object's alarm.
   *
   * @param options how to read
   * @return the time; empty if none is set, or it is running and was not set again
   */
  Optional<Instant> getAlarm(ReadOptions options);

  /**
   * Sets the object's alarm, in place of one that is set. An alarm that is running goes on.
   *
   * @param time when {@link dev.holdfast.AlarmHandler#alarm} is to run, cut to milliseconds; one in
   *     the past means as soon as possible, and {@link #getAlarm} returns the time of this call for
   *     it
   * @throws IllegalArgumentException if the time is not after 1970-01-01, or after 2262-04-11, when
   *     its nanoseconds no longer fit in a long
   * @throws dev.holdfast.AlarmException if the object does not implement {@link
   *     dev.holdfast.AlarmHandler}; not checked while the object is being made
   */
  default void setAlarm(Instant time) {
    setAlarm(time, WriteOptions.DEFAULT);
  }

  /**
   * Sets the object's alarm; see {@link #setAlarm(Instant)}.
   *
   * @param time when
   * @param options how to write
   */
  void setAlarm(Instant time, WriteOptions options);

  /**
   * Deletes the object's alarm, if one is set. An alarm that is running goes on; it is not tried
   * again if its handler fails after that.
   */
  default void deleteAlarm() {
    deleteAlarm(WriteOptions.DEFAULT);
  }

  /**
   * Deletes the object's alarm, if one is set.
   *
   * @param options how to write
   */
  void deleteAlarm(WriteOptions options);
}
