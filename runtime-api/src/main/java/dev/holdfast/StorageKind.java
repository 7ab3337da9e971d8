package dev.holdfast;

/** The engine that keeps the data of the objects of a namespace. */
public enum StorageKind {

  /** A SQLite database for each object: key-value API and SQL API. */
  SQLITE,

  /**
   * One RocksDB database for all objects of the runtime: key-value API only, the statements of
   * {@code ObjectStorage.sql()} fail. For very many small objects, and for data that does not fit
   * into memory.
   *
   * <p>The library of RocksDB is large and differs by platform, so Holdfast does not include it:
   * add {@code org.rocksdb:rocksdbjni:10.10.1.1} with the classifier {@code linux64} (five Linux
   * architectures), {@code linux64-musl}, {@code osx} or {@code win64} to the application. Without
   * it, a runtime with such a namespace does not open.
   */
  ROCKSDB
}
