package dev.holdfast.conformance.host;

import dev.holdfast.StorageKind;
import java.util.List;

/** A storage engine, and the backends of the reference runtime that it is compared with. */
public enum StorageEngine {

  /** SQLite: with every recording of a backend that has SQL. */
  SQLITE(StorageKind.SQLITE, List.of("sql", "modern", "legacy")),

  /** RocksDB: with the recordings of the reference's key-value backend. */
  ROCKSDB(StorageKind.ROCKSDB, List.of("cache", "kv"));

  @SuppressWarnings("ImmutableEnumChecker") // a record of a text
  private final StorageKind storage;

  @SuppressWarnings("ImmutableEnumChecker") // made by List.of
  private final List<String> backends;

  StorageEngine(StorageKind storage, List<String> backends) {
    this.storage = storage;
    this.backends = backends;
  }

  /** {@return the kind of storage} */
  public StorageKind storage() {
    return storage;
  }

  /** {@return the backends of the reference, the authoritative one first} */
  public List<String> backends() {
    return backends;
  }

  /** {@return the name of its namespace, also in reports} */
  public String label() {
    return this == SQLITE ? "sqlite" : "rocksdb";
  }
}
