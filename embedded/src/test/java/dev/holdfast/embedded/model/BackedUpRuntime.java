package dev.holdfast.embedded.model;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.backend.rocksdb.RocksDbBackend;
import dev.holdfast.backend.rocksdb.RocksDbOptions;
import dev.holdfast.backend.sqlite.SqliteBackend;
import dev.holdfast.backend.sqlite.SqliteOptions;
import dev.holdfast.backup.BackupDirectory;
import dev.holdfast.backup.DirectoryBackup;
import dev.holdfast.journal.DirectoryLock;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A runtime with small limits: segments are full after a few writes, and objects are saved all the
 * time. Its objects keep the last number of each writer.
 */
final class BackedUpRuntime {

  static final String SQL = "sql";
  static final String PAIRS = "pairs";

  private static final int SEGMENT_BYTES = 64 << 10;
  private static final int ROCKSDB_BYTES = 2 << 20;

  /** Keeps the last number of each writer, beside something that fills its file. */
  public interface Numbers {

    /** Stores the number of a writer. */
    void store(int writer, int number, String filling);

    /** {@return the number of a writer; 0 if it has stored none} */
    int last(int writer);
  }

  private record NumbersObject(ObjectContext context) implements Numbers {

    @Override
    public void store(int writer, int number, String filling) {
      context.storage().put("writer-" + writer, number);
      context.storage().put("filling-" + number % 7, filling);
    }

    @Override
    public int last(int writer) {
      return context.storage().get("writer-" + writer, Integer.class).orElse(0);
    }
  }

  private BackedUpRuntime() {}

  static void register(ObjectRegistrar objects, boolean withPairs) {
    objects.namespace(SQL, Numbers.class, NumbersObject::new);
    if (withPairs) {
      objects.namespace(
          PAIRS,
          Numbers.class,
          NumbersObject::new,
          NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB));
    }
    objects.options(RuntimeOptions.DEFAULT.withOpenDatabasesMax(2));
  }

  /** Opens a data directory on a disk; RocksDB, which uses no test disk, only if that is wanted. */
  static ObjectRuntime open(Path data, Disk disk, boolean withPairs) {
    new BackupDirectory(disk, data).completeOrRefuse();
    EngineBuilder engine = new EngineBuilder(objects -> register(objects, withPairs));
    VirtualClock clock = new VirtualClock();
    StorageThreads threads = new StorageThreads(2);
    DirectoryLock lock = DirectoryLock.acquire(data, disk);
    FileJournal journal =
        FileJournal.open(
            lock, clock, JournalOptions.DEFAULT.withDisk(disk).withSegmentBytes(SEGMENT_BYTES));
    Map<StorageKind, StorageBackend> backends = new LinkedHashMap<>();
    backends.put(
        StorageKind.SQLITE,
        new SqliteBackend(
            journal,
            threads,
            clock,
            disk,
            new SqliteOptions(data.resolve("sqlite"), engine.options().openDatabasesMax())));
    if (withPairs) {
      backends.put(
          StorageKind.ROCKSDB,
          RocksDbBackend.open(
              data.resolve("rocksdb"),
              new RocksDbBackend.Binding(data.resolve("rocksdb.flushed"), journal.recoveryLog()),
              new RocksDbBackend.Host(journal, threads, clock),
              RocksDbOptions.DEFAULT
                  .withBlockCacheBytes(ROCKSDB_BYTES)
                  .withWriteBufferBytes(ROCKSDB_BYTES)
                  .withPendingBytesMax(ROCKSDB_BYTES)));
    }
    backends.values().forEach(each -> each.recover(journal.recoveryLog()));
    journal.start(List.copyOf(backends.values()));
    backends.forEach(engine::backend);
    return engine
        .backups(
            new DirectoryBackup(
                new DirectoryBackup.Host(
                    data, disk, journal, journal::beginCopy, backends.values(), clock)))
        .closeLast(threads)
        .closeLast(lock)
        .open(journal, clock, new Random(1));
  }
}
