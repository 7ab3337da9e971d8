package dev.holdfast.backend.rocksdb;

import dev.holdfast.backend.rocksdb.database.Database;
import dev.holdfast.spi.StorageBackend;
import java.util.List;
import org.rocksdb.RocksDBException;

/** Waits until a backend changes no file. */
final class Quiet {

  private static final List<String> WORK =
      List.of(
          "rocksdb.mem-table-flush-pending",
          "rocksdb.num-running-flushes",
          "rocksdb.compaction-pending",
          "rocksdb.num-running-compactions");

  private Quiet() {}

  static void await(StorageBackend backend) {
    RocksDbBackend rocks = (RocksDbBackend) backend;
    rocks.applier().settle();
    try {
      while (isWorking(rocks.database())) {
        Thread.onSpinWait();
      }
    } catch (RocksDBException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isWorking(Database database) throws RocksDBException {
    for (String figure : WORK) {
      if (database.figure(figure) != 0) {
        return true;
      }
    }
    return false;
  }
}
