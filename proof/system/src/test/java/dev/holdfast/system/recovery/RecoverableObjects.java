package dev.holdfast.system.recovery;

import dev.holdfast.ObjectId;
import dev.holdfast.TimeSource;
import dev.holdfast.backend.rocksdb.RocksDbBackend;
import dev.holdfast.backend.rocksdb.RocksDbOptions;
import dev.holdfast.backend.sqlite.SqliteBackend;
import dev.holdfast.backend.sqlite.SqliteOptions;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.HistoryOptions;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.pitr.JournaledRecovery;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.disk.Disk;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Journal, backend and recovery of one data directory without an engine: the test is the only
 * thread and begins the sessions of objects itself. All limits are small.
 */
final class RecoverableObjects implements AutoCloseable {

  /** The storage engine under test. */
  enum Engine {
    SQLITE,
    ROCKSDB
  }

  static final String NAMESPACE = "things";

  private static final long WINDOW_MILLIS = Duration.ofDays(30).toMillis();

  final FileJournal journal;
  final StorageBackend backend;
  final JournaledRecovery recovery;
  private final StorageThreads threads = new StorageThreads(2);

  RecoverableObjects(Path directory, Engine engine, Settings settings) {
    AtomicLong salts = new AtomicLong(settings.time().monotonicNanos());
    journal =
        FileJournal.open(
            directory.resolve("journal"),
            settings.time(),
            JournalOptions.DEFAULT
                .withDisk(settings.disk())
                .withSegmentBytes(settings.segmentBytes())
                .withHistory(new HistoryOptions(WINDOW_MILLIS, settings.historyBytesMax()))
                .withSalts(() -> salts.addAndGet(0x9E3779B97F4A7C15L)));
    backend = open(directory, engine, settings);
    recovery =
        new JournaledRecovery(
            journal,
            journal.history(),
            settings.time(),
            Map.of(NAMESPACE, Duration.ofMillis(WINDOW_MILLIS)));
    backend.recover(journal.recoveryLog());
    recovery.recover(journal.recoveryLog());
    journal.start(List.of(settings.watch().apply(backend), recovery));
  }

  /**
   * The settings of a test.
   *
   * @param watch creates the view that the journal uses instead of the backend
   */
  record Settings(
      TimeSource time,
      Disk disk,
      long segmentBytes,
      long historyBytesMax,
      UnaryOperator<JournalView> watch) {

    Settings(TimeSource time, Disk disk, long segmentBytes, long historyBytesMax) {
      this(time, disk, segmentBytes, historyBytesMax, UnaryOperator.identity());
    }
  }

  private StorageBackend open(Path directory, Engine engine, Settings settings) {
    return switch (engine) {
      case SQLITE ->
          new SqliteBackend(
              journal,
              threads,
              settings.time(),
              settings.disk(),
              new SqliteOptions(directory.resolve("sqlite"), /* openDatabasesMax= */ 2));
      case ROCKSDB ->
          RocksDbBackend.open(
              rocksDb(directory),
              new RocksDbBackend.Host(journal, threads, settings.time()),
              RocksDbOptions.DEFAULT.withBlockCacheBytes(1 << 20).withApplyDelay(Duration.ZERO));
    };
  }

  /** {@return the directory of RocksDB's files in a data directory} */
  static Path rocksDb(Path directory) {
    return directory.resolve("rocksdb");
  }

  static ObjectKey object(int number) {
    byte[] id = new byte[ObjectId.LENGTH_BYTES];
    ByteBuffer.wrap(id).putInt(number * 0x9E3779B1).putInt(28, number);
    return new ObjectKey(NAMESPACE, ObjectId.of(id, null));
  }

  /** Begins a session of an object, with the requested restore. */
  ObjectStore begin(ObjectKey key) {
    ObjectStore store = backend.store(key);
    recovery.restore(key, store);
    return store;
  }

  /** {@return the bookmark after a turn with the given work} */
  String commit(ObjectKey key, ObjectStore store, Consumer<StoreTurn> work) {
    StoreTurn turn = store.beginTurn();
    work.accept(turn);
    long position = turn.seal();
    return recovery.bookmark(
        key, Math.max(position, journal.durablePosition()), /* withNextBatch= */ false);
  }

  /** Requests a restore and does it. {@return the undo bookmark} */
  String restore(ObjectKey key, @Nullable ObjectStore running, String bookmark) {
    journal.awaitDurable(journal.lastPosition());
    String undo = recovery.requestRestore(key, bookmark).undoBookmark();
    if (running != null) {
      running.release();
    }
    begin(key).release();
    return undo;
  }

  @Override
  public void close() {
    backend.close();
    journal.close();
    threads.close();
  }
}
