package dev.holdfast.system.power;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.backend.rocksdb.RocksDbBackend;
import dev.holdfast.backend.rocksdb.RocksDbOptions;
import dev.holdfast.backend.sqlite.SqliteBackend;
import dev.holdfast.backend.sqlite.SqliteOptions;
import dev.holdfast.crash.CrashStorage;
import dev.holdfast.crash.Workload;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.runtime.SystemTimeSource;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.disk.Disk;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A runtime wired like an application's, but with the disk of the test and small limits: a short
 * run rolls over many segments, evicts, reopens and saves.
 */
final class RuntimeOnDisk {

  private static final long SEGMENT_BYTES = 256 << 10;

  /** Batches of keys are smaller than batches of pages. */
  private static final long SMALL_SEGMENT_BYTES = 8 << 10;

  private static final int OPEN_DATABASES_MAX = 3;

  private RuntimeOnDisk() {}

  /** {@return the directory of RocksDB's files in a data directory} */
  static Path rocksDb(Path directory) {
    return directory.resolve("rocksdb");
  }

  /** Opens a runtime with the storage engine of the workload; images are for RocksDB. */
  static ObjectRuntime open(Path directory, Disk disk, Workload workload, DatabaseImages images) {
    SystemTimeSource time = new SystemTimeSource();
    StorageThreads threads = new StorageThreads(2);
    try {
      StorageKind kind =
          workload.storage() == CrashStorage.SQLITE ? StorageKind.SQLITE : StorageKind.ROCKSDB;
      FileJournal journal =
          FileJournal.open(directory.resolve("journal"), time, options(disk, kind));
      StorageBackend backend =
          kind.equals(StorageKind.SQLITE)
              ? new SqliteBackend(
                  journal,
                  threads,
                  time,
                  disk,
                  new SqliteOptions(directory.resolve("sqlite"), OPEN_DATABASES_MAX))
              : RocksDbBackend.open(
                  rocksDb(directory),
                  new RocksDbBackend.Host(journal, threads, time),
                  RocksDbOptions.DEFAULT.withApplyDelay(Duration.ZERO));
      try {
        backend.recover(journal.recoveryLog());
        journal.start(List.of(kind.equals(StorageKind.SQLITE) ? backend : images.watched(backend)));
      } catch (RuntimeException e) {
        closeAfter(e, backend, journal);
        throw e;
      }
      return new EngineBuilder(
              objects -> {
                objects.options(RuntimeOptions.DEFAULT.withCloseTimeout(Duration.ofSeconds(5)));
                workload.register(objects, NamespaceOptions.DEFAULT);
              })
          .backend(kind, backend)
          .closeLast(threads)
          .closeLast(time)
          .open(journal, time, new Random(1));
    } catch (RuntimeException e) {
      closeAfter(e, threads, time);
      throw e;
    }
  }

  private static JournalOptions options(Disk disk, StorageKind kind) {
    AtomicLong salts = new AtomicLong();
    return JournalOptions.DEFAULT
        .withDisk(disk)
        .withSegmentBytes(kind.equals(StorageKind.SQLITE) ? SEGMENT_BYTES : SMALL_SEGMENT_BYTES)
        .withHeldSegmentsMax(
            kind.equals(StorageKind.SQLITE) ? JournalOptions.DEFAULT.heldSegmentsMax() : 1)
        .withSalts(() -> salts.addAndGet(0x9E3779B97F4A7C15L));
  }

  private static void closeAfter(RuntimeException failure, AutoCloseable... parts) {
    for (AutoCloseable part : parts) {
      try {
        part.close();
      } catch (Exception e) {
        failure.addSuppressed(e);
      }
    }
  }
}
