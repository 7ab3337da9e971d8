package dev.holdfast.embedded.recovery;

import dev.holdfast.StorageKind;

/** Point-in-time recovery of objects on RocksDB. */
class RocksDbRecoveryTest extends HistoryContract {

  @Override
  StorageKind storage() {
    return StorageKind.ROCKSDB;
  }
}
