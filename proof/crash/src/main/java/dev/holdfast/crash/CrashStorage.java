package dev.holdfast.crash;

import dev.holdfast.StorageKind;

/** The storage engines to which a crash test writes. */
public enum CrashStorage {

  /** Everything in SQLite. */
  SQLITE(StorageKind.SQLITE, StorageKind.SQLITE),

  /** Everything in RocksDB. */
  ROCKSDB(StorageKind.ROCKSDB, StorageKind.ROCKSDB),

  /** Cells in SQLite and mirrors in RocksDB, so that calls go from one engine to the other. */
  BOTH(StorageKind.SQLITE, StorageKind.ROCKSDB);

  @SuppressWarnings("ImmutableEnumChecker") // a record of a text
  private final StorageKind cells;

  @SuppressWarnings("ImmutableEnumChecker") // a record of a text
  private final StorageKind mirrors;

  CrashStorage(StorageKind cells, StorageKind mirrors) {
    this.cells = cells;
    this.mirrors = mirrors;
  }

  StorageKind cells() {
    return cells;
  }

  StorageKind mirrors() {
    return mirrors;
  }
}
