package dev.holdfast.embedded.recovery;

import dev.holdfast.StorageKind;

/** Administration of objects on RocksDB. */
class RocksDbAdminTest extends AdminContract {

  @Override
  StorageKind storage() {
    return StorageKind.ROCKSDB;
  }
}
