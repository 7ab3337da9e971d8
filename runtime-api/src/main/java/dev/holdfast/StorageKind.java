package dev.holdfast;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The name of an engine that keeps the data of the objects of a namespace. The engine is an
 * artifact among the dependencies of the application, which the runtime finds by the name. An
 * engine for very many small objects, or for data that does not fit into memory, is {@link
 * #ROCKSDB}; anybody can write another one (docs/guide/backend.md).
 *
 * @param name the name: 1 to 32 letters, digits and underscores of ASCII, the first a letter. Case
 *     does not matter; {@code name()} has upper case
 */
public record StorageKind(String name) {

  private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_]{0,31}");

  /**
   * A SQLite database for each object: key-value API and SQL API, and the only one with SQL. Part
   * of {@code dev.holdfast:holdfast}.
   */
  public static final StorageKind SQLITE = new StorageKind("SQLITE");

  /**
   * One RocksDB database for all objects of the runtime: key-value API only, the statements of
   * {@code ObjectStorage.sql()} fail.
   *
   * <p>Add {@code dev.holdfast:holdfast-backend-kv-rocksdb} to the application. The library of
   * RocksDB is large and differs by platform, so that does not include it: add {@code
   * org.rocksdb:rocksdbjni:10.10.1.1} with the classifier {@code linux64} (five Linux
   * architectures), {@code linux64-musl}, {@code osx} or {@code win64}, too. Without both, a
   * runtime with such a namespace does not open.
   */
  public static final StorageKind ROCKSDB = new StorageKind("ROCKSDB");

  /**
   * Checks the name.
   *
   * @throws IllegalArgumentException if the name is malformed
   */
  public StorageKind {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "The name of a storage must be 1 to 32 letters, digits and underscores, and begin with a"
              + " letter: \""
              + name
              + "\"");
    }
    name = name.toUpperCase(Locale.ROOT);
  }

  /**
   * {@return the storage of a name}
   *
   * @param name the name, as above
   * @throws IllegalArgumentException if the name is malformed
   */
  public static StorageKind of(String name) {
    return new StorageKind(name);
  }

  /** {@return the name} */
  @Override
  public String toString() {
    return name;
  }
}
