package dev.holdfast.storage;

import dev.holdfast.sql.SqlStorage;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * The storage of one object: keys and values, and SQL on the same data.
 *
 * <p>Keys are strings of at most 2,048 bytes in UTF-8, ordered by those bytes. A value is anything
 * the structured clone format can hold, at most 131,072 bytes; see the mapping table of {@code
 * dev.holdfast.clone}. Reads give copies.
 *
 * <p>Everything written in one turn is durable together or not at all; no explicit transaction is
 * needed for that. A write returns at once and is visible to the next read. A reply of the object
 * is held until what it depends on is durable.
 *
 * <p>Every method must be called by the thread that runs the object's current turn, and fails with
 * {@link dev.holdfast.ContextMisuseException} otherwise; with {@link
 * dev.holdfast.StorageLimitException} when a key, value or count is over its limit, before anything
 * is read or written; with {@link dev.holdfast.UncopyableValueException} when a value cannot be
 * stored or is not of the type asked for; and with {@link dev.holdfast.StorageFailedException} when
 * the storage fails, which resets the object.
 */
public interface ObjectStorage {

  /**
   * Returns the value of a key.
   *
   * @param <T> the Java type of the values
   * @param key the key
   * @param type the Java type to convert the value to; {@code Object.class} for its natural type
   * @return the value; empty if the key does not exist or its value is null
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
   * @param value the value, copied now
   */
  default void put(String key, Object value) {
    put(key, value, WriteOptions.DEFAULT);
  }

  /**
   * Stores a value.
   *
   * @param key the key
   * @param value the value, copied now
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
   * Deletes everything the object has stored: all keys and, with SQL storage, all tables. Atomic
   * with the turn's other writes (the reference may delete a part only when it fails).
   */
  default void deleteAll() {
    deleteAll(WriteOptions.DEFAULT);
  }

  /**
   * Deletes everything the object has stored.
   *
   * @param options how to write
   */
  void deleteAll(WriteOptions options);

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
   * Waits until everything this object has written, unconfirmed writes included, is durable. A
   * wait: it ends the turn.
   */
  void sync();

  /**
   * Returns the SQL side of this storage.
   *
   * @return the SQL API, valid as long as this storage
   * @throws dev.holdfast.SqlException if the object's storage engine has no SQL
   */
  SqlStorage sql();
}
