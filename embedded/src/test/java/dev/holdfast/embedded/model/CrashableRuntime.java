package dev.holdfast.embedded.model;

import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.backend.rocksdb.RocksDbBackend;
import dev.holdfast.backend.rocksdb.RocksDbOptions;
import dev.holdfast.backend.sqlite.SqliteBackend;
import dev.holdfast.backend.sqlite.SqliteOptions;
import dev.holdfast.faults.PowerLossDisk;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A runtime with both storage engines, with small limits, that can lose its power, and whose clock
 * stands still unless a test advances it. Confined to the thread of the test.
 *
 * <p>After a power cut the journal and SQLite's files are in a state that {@link PowerLossDisk}
 * produces; RocksDB's files, which no test disk sees, are in the state after a killed process.
 */
final class CrashableRuntime implements AutoCloseable {

  private static final int SEGMENT_BYTES = 256 << 10;
  private static final int ROCKSDB_BYTES = 2 << 20;
  private static final int TICKS_TO_EVICT = 12;

  private final Path root;
  private final Consumer<ObjectRegistrar> objects;
  private final VirtualClock clock = new VirtualClock();
  private final Queue<Thread> started = new ConcurrentLinkedQueue<>();

  private int lives;
  private PowerLossDisk disk;
  private ObjectRuntime runtime;

  CrashableRuntime(Path root, Consumer<ObjectRegistrar> objects) throws IOException {
    this.root = root;
    this.objects = objects;
    this.disk = new PowerLossDisk(Files.createDirectory(data()));
    this.runtime = open();
  }

  ObjectRuntime runtime() {
    return runtime;
  }

  /** Lets idle time pass, in the steps in which the evictor checks. */
  void idle(Duration idleTimeout) throws InterruptedException {
    for (int tick = 0; tick < TICKS_TO_EVICT; tick++) {
      clock.advance(idleTimeout.dividedBy(8));
      for (Thread thread = started.poll(); thread != null; thread = started.poll()) {
        thread.join();
      }
    }
  }

  void restart() throws IOException {
    runtime.close();
    disk = new PowerLossDisk(data());
    runtime = open();
  }

  /** Cuts the power after some more steps of the disk. */
  void cutPowerAfter(long stepCount) {
    disk.cutPowerAfter(disk.steps() + stepCount);
  }

  /** Cuts the power now, and opens the remaining files. */
  void crash(long seed) throws IOException {
    disk.cutPowerAfter(0);
    Path database = rocksDb();
    lives++;
    copyStable(database, Files.createDirectory(rocksDb()));
    closePowerless();
    disk.writeCrashImage(Files.createDirectory(data()), seed);
    disk = new PowerLossDisk(data());
    runtime = open();
  }

  private void closePowerless() {
    try {
      runtime.close();
    } catch (HoldfastException e) {
      requireOfPowerCut(e);
    }
  }

  /** Rethrows a failure that the power cut did not cause. */
  static void requireOfPowerCut(HoldfastException failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    if (!(root instanceof PowerLossDisk.PowerLostException)) {
      throw failure;
    }
  }

  private Path data() {
    return root.resolve("data-" + lives);
  }

  private Path rocksDb() {
    return root.resolve("rocksdb-" + lives);
  }

  private ObjectRuntime open() {
    EngineBuilder engine = new EngineBuilder(objects);
    StorageThreads threads = new StorageThreads(2);
    FileJournal journal =
        FileJournal.open(
            data().resolve("journal"),
            clock,
            JournalOptions.DEFAULT.withDisk(disk).withSegmentBytes(SEGMENT_BYTES));
    SqliteBackend sqlite =
        new SqliteBackend(
            journal,
            threads,
            clock,
            disk,
            new SqliteOptions(data().resolve("sqlite"), engine.options().openDatabasesMax()));
    RocksDbBackend rocksDb =
        RocksDbBackend.open(
            rocksDb(),
            new RocksDbBackend.Host(journal, threads, clock),
            RocksDbOptions.DEFAULT
                .withBlockCacheBytes(ROCKSDB_BYTES)
                .withWriteBufferBytes(ROCKSDB_BYTES)
                .withPendingBytesMax(ROCKSDB_BYTES));
    sqlite.recover(journal.recoveryLog());
    rocksDb.recover(journal.recoveryLog());
    journal.start(List.of(sqlite, rocksDb));
    return engine
        .backend(StorageKind.SQLITE, sqlite)
        .backend(StorageKind.ROCKSDB, rocksDb)
        .threads(this::thread)
        .closeLast(threads)
        .open(journal, clock, new Random(1));
  }

  private Thread thread(Runnable work) {
    Thread thread = Thread.ofVirtual().unstarted(work);
    started.add(thread);
    return thread;
  }

  /** Copies what a killed process would leave: repeats until nothing has changed meanwhile. */
  private static void copyStable(Path from, Path to) throws IOException {
    Map<String, byte[]> before = content(from);
    Map<String, byte[]> after = content(from);
    while (!isSame(before, after)) {
      before = after;
      after = content(from);
    }
    for (Map.Entry<String, byte[]> file : after.entrySet()) {
      Files.write(to.resolve(file.getKey()), file.getValue());
    }
  }

  private static boolean isSame(Map<String, byte[]> left, Map<String, byte[]> right) {
    return left.keySet().equals(right.keySet())
        && left.keySet().stream().allMatch(name -> Arrays.equals(left.get(name), right.get(name)));
  }

  private static Map<String, byte[]> content(Path directory) throws IOException {
    Map<String, byte[]> content = new TreeMap<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        try {
          content.put(file.getFileName().toString(), Files.readAllBytes(file));
        } catch (NoSuchFileException e) {
          // Deleted since it was listed: the next attempt is without it.
          content.put(file.getFileName().toString(), new byte[0]);
        }
      }
    }
    return content;
  }

  @Override
  public void close() {
    runtime.close();
  }
}
