package dev.holdfast.backend.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectId;
import dev.holdfast.backend.rocksdb.batch.Batch;
import dev.holdfast.backend.rocksdb.batch.Change;
import dev.holdfast.spi.KeyRange;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.StoreScan;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.VirtualClock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.DBOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * Which threads read from the disk, and when. The database is reopened after it was filled, so that
 * nothing of it is in memory; there is one storage thread, and a test can keep it busy.
 */
final class DiskReadTest {

  private static final ObjectKey KEY = new ObjectKey("n", ObjectId.of(new byte[32], null));
  private static final KeyRange ALL = new KeyRange(null, null, false, Integer.MAX_VALUE);
  private static final int PAIRS = 1_000;

  @TempDir Path directory;

  private final InMemoryJournal journal = new InMemoryJournal();
  private final CountDownLatch busy = new CountDownLatch(1);
  private final StorageThreads threads = new StorageThreads(1);
  private RocksDbBackend backend;

  @BeforeEach
  void fillAndOpenAgain() {
    backend = open();
    StoreTurn turn = backend.store(KEY).beginTurn();
    for (int i = 0; i < PAIRS; i++) {
      turn.put(name(i), new byte[200]);
    }
    turn.seal();
    backend.close();
    backend = open();
  }

  private RocksDbBackend open() {
    RocksDbBackend opened =
        RocksDbBackend.open(
            directory,
            new RocksDbBackend.Host(journal, threads, new VirtualClock()),
            RocksDbOptions.DEFAULT);
    opened.recover(journal);
    return opened;
  }

  @AfterEach
  void close() {
    busy.countDown();
    backend.close();
    threads.close();
  }

  private static byte[] name(int number) {
    return "key%04d".formatted(number).getBytes(StandardCharsets.UTF_8);
  }

  private StoreTurn turn() {
    return backend.store(KEY).beginTurn();
  }

  private static int count(StoreTurn turn, KeyRange range) {
    int count = 0;
    try (StoreScan scan = turn.scan(range)) {
      while (scan.next()) {
        count++;
      }
    }
    return count;
  }

  /** Runs on a virtual thread while the storage thread is busy. */
  private final class Reader {
    private final FutureTask<?> read;
    private final Thread thread;

    Reader(Callable<?> read) {
      this.read = new FutureTask<>(read);
      this.thread = Thread.ofVirtual().start(this.read);
    }

    /** {@return whether the thread waits for another one, instead of ending by itself} */
    boolean waits() {
      while (true) {
        switch (thread.getState()) {
          case WAITING, TIMED_WAITING -> {
            return true;
          }
          case TERMINATED -> {
            return false;
          }
          default -> Thread.yield();
        }
      }
    }

    Object result() throws Exception {
      return read.get();
    }
  }

  @Test
  void virtualThreadLeavesTheDiskToAStorageThread() throws Exception {
    threads.execute(() -> awaitUnchecked(busy));
    StoreTurn turn = turn();

    Reader reader = new Reader(() -> turn.get(name(1)));

    assertThat(reader.waits()).isTrue();
    busy.countDown();
    assertThat(reader.result()).isEqualTo(new byte[200]);
  }

  /**
   * The files of the lower levels are not read when a database is opened. When the index of one is
   * not in memory, RocksDB says of each key that it may be there, with an empty value.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void virtualThreadReadsRightWhereTheIndexIsOnTheDisk(boolean present) throws Exception {
    backend.close();
    compact();
    backend = open();

    Reader reader = new Reader(() -> turn().get(name(present ? 1 : PAIRS)));

    assertThat(reader.result()).isEqualTo(present ? new byte[200] : null);
  }

  /** Moves all pairs to the lowest level. */
  private void compact() throws RocksDBException {
    List<ColumnFamilyDescriptor> families = new ArrayList<>();
    List<ColumnFamilyHandle> handles = new ArrayList<>();
    try (Options options = new Options()) {
      for (byte[] family : RocksDB.listColumnFamilies(options, directory.toString())) {
        families.add(new ColumnFamilyDescriptor(family));
      }
    }
    try (DBOptions options = new DBOptions();
        RocksDB rocks = RocksDB.open(options, directory.toString(), families, handles)) {
      rocks.compactRange();
      handles.forEach(ColumnFamilyHandle::close);
    }
  }

  @Test
  void virtualThreadLeavesAScanOfTheDiskToAStorageThread() throws Exception {
    threads.execute(() -> awaitUnchecked(busy));
    StoreTurn turn = turn();

    Reader reader = new Reader(() -> count(turn, ALL));

    assertThat(reader.waits()).isTrue();
    busy.countDown();
    assertThat(reader.result()).isEqualTo(PAIRS);
  }

  @Test
  void virtualThreadReadsMemoryByItself() throws Exception {
    count(turn(), ALL); // by a platform thread, which reads from the disk by itself
    threads.execute(() -> awaitUnchecked(busy));

    assertThat(new Reader(() -> turn().get(name(1))).result()).isEqualTo(new byte[200]);
    assertThat(new Reader(() -> count(turn(), ALL)).result()).isEqualTo(PAIRS);
    assertThat(new Reader(() -> turn().prefetch(name(1)) == null).result()).isEqualTo(true);
  }

  @Test
  void prefetchBringsAKeyIntoMemory() {
    Runnable read = turn().prefetch(name(1));
    assertThat(read).isNotNull();

    read.run();

    assertThat(turn().prefetch(name(1))).isNull();
  }

  @Test
  void prefetchBringsARangeIntoMemory() {
    Runnable read = turn().prefetch(ALL);
    assertThat(read).isNotNull();

    read.run();

    assertThat(turn().prefetch(ALL)).isNull();
    assertThat(turn().prefetch(new KeyRange(name(5), null, true, 10))).isNull();
  }

  @Test
  void prefetchOfAnEmptyRangeIsNotNeeded() {
    assertThat(turn().prefetch(new KeyRange(name(5), name(5), false, 10))).isNull();
  }

  @Test
  void whatTheTurnOrThePendingBatchesKnowNeedsNoDisk() {
    StoreTurn turn = turn();
    turn.put(name(1), new byte[1]);
    assertThat(turn.prefetch(name(1))).isNull();
    turn.seal();

    StoreTurn next = turn();
    assertThat(next.prefetch(name(1))).isNull();
    assertThat(next.prefetch(name(900))).isNotNull();
    next.deleteAll();
    assertThat(next.prefetch(name(900))).isNull();
    assertThat(next.prefetch(ALL)).isNull();
  }

  @Test
  void undoOfAValueThatTheEngineKnowsNeedsNoDisk() throws Exception {
    ObjectStore store = backend.store(KEY);
    StoreTurn first = store.beginTurn();
    first.put(name(0), new byte[] {1});
    first.seal(); // the first batch of a started object reads which batch is before it
    threads.execute(() -> awaitUnchecked(busy));
    StoreTurn turn = store.beginTurn();
    Reader writer =
        new Reader(
            () -> {
              turn.put(name(1), new byte[] {1}, new byte[200]);
              turn.put(name(1), new byte[] {2}, new byte[] {1});
              return turn.seal();
            });

    long position = (Long) writer.result();
    journal.awaitDurable(position);

    List<Change> changes = new ArrayList<>();
    journal.forEach(
        record -> {
          if (record.position() == position) {
            changes.addAll(Batch.decode(record.payload()).changes());
          }
        });
    assertThat(changes).hasSize(1);
    assertThat(changes.getFirst().redo()).containsExactly(2);
    assertThat(changes.getFirst().undo()).isEqualTo(new byte[200]);
  }

  @Test
  void prefetchOutlivesItsTurn() {
    StoreTurn turn = turn();
    Runnable read = turn.prefetch(name(1));
    turn.seal();

    read.run();

    assertThat(turn().get(name(1))).isEqualTo(new byte[200]);
  }

  private static void awaitUnchecked(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
