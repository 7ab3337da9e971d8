package dev.holdfast.system.architecture.violations;

import org.rocksdb.Slice;

/** Shows a type of RocksDB's library to others. */
record RocksDbLeak(Slice slice) {}
