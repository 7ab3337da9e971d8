package dev.holdfast.embedded.recovery;

import dev.holdfast.StorageKind;

/** Operators look into objects on RocksDB. */
class RocksDbPeekTest extends PeekContract {

  @Override
  StorageKind storage() {
    return StorageKind.ROCKSDB;
  }
}
