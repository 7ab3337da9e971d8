package dev.holdfast.sql;

import dev.holdfast.codec.TypeRef;
import java.util.List;
import java.util.Optional;

/**
 * What a {@link JavaMigration} reads and writes: the tables, keys and values of one object. Its
 * methods fail when the step has ended, and on other threads.
 */
public interface MigrationStorage {

  /**
   * {@return the tables; a step may change the schema whatever the limits of the namespace say}
   *
   * @throws dev.holdfast.errors.MisuseException if the step has ended, or another thread runs it
   */
  SqlStorage sql();

  /**
   * Returns the value of a key.
   *
   * @param <T> the Java type of the value
   * @param key the key
   * @param type the Java type of the result; {@code Object.class} for the natural type of the value
   * @return the value; empty if the key does not exist or its value is null
   * @throws dev.holdfast.errors.MisuseException if the step has ended, or another thread runs it
   * @throws dev.holdfast.errors.StorageLimitException if the key is too long
   * @throws dev.holdfast.errors.UncopyableValueException if the value is not of this type
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  <T> Optional<T> get(String key, Class<T> type);

  /**
   * Returns the value of a key, read as a type with arguments, such as {@code List<Line>}.
   *
   * @param <T> the Java type of the value
   * @param key the key
   * @param type the Java type of the result
   * @return the value; empty if the key does not exist or its value is null
   * @throws dev.holdfast.errors.MisuseException if the step has ended, or another thread runs it
   * @throws dev.holdfast.errors.StorageLimitException if the key is too long
   * @throws dev.holdfast.errors.UncopyableValueException if the value is not of this type, or the
   *     type cannot be read
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  <T> Optional<T> get(String key, TypeRef<T> type);

  /**
   * Returns the keys that begin with a prefix, in ascending UTF-8 order. Loads all of them into
   * memory.
   *
   * @param prefix the prefix; empty for all keys
   * @return the keys
   * @throws dev.holdfast.errors.MisuseException if the step has ended, or another thread runs it
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  List<String> keys(String prefix);

  /**
   * Stores a value.
   *
   * @param key the key
   * @param value the value, copied now
   * @throws dev.holdfast.errors.MisuseException if the step has ended, or another thread runs it
   * @throws dev.holdfast.errors.StorageLimitException if the key or the value is too long
   * @throws dev.holdfast.errors.UncopyableValueException if the value cannot be stored
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  void put(String key, Object value);

  /**
   * Deletes a key.
   *
   * @param key the key
   * @return whether the key existed
   * @throws dev.holdfast.errors.MisuseException if the step has ended, or another thread runs it
   * @throws dev.holdfast.errors.StorageLimitException if the key is too long
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  boolean delete(String key);
}
