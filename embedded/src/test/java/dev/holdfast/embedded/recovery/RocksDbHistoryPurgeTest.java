package dev.holdfast.embedded.recovery;

import dev.holdfast.StorageKind;

/** The history of an object is purged on RocksDB. */
class RocksDbHistoryPurgeTest extends HistoryPurgeContract {

  @Override
  StorageKind storage() {
    return StorageKind.ROCKSDB;
  }
}
