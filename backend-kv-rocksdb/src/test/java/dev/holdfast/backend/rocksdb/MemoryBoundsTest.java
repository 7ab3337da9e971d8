package dev.holdfast.backend.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectId;
import dev.holdfast.backend.rocksdb.database.Database;
import dev.holdfast.spi.KeyRange;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.StoreScan;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import dev.holdfast.testkit.VirtualClock;
import java.io.Closeable;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDBException;

/** How much memory the backend takes, native memory by RocksDB's own figures. */
final class MemoryBoundsTest {

  private static final ObjectKey KEY = new ObjectKey("n", ObjectId.of(new byte[32], null));
  private static final KeyRange ALL = new KeyRange(null, null, false, Integer.MAX_VALUE);
  private static final int VALUE_BYTES = 64 << 10;

  @TempDir private Path directory;

  private final StorageThreads threads = new StorageThreads(2);
  private final SplittableRandom random = new SplittableRandom(1);

  @AfterEach
  void close() {
    threads.close();
  }

  private RocksDbBackend open(InMemoryJournal journal, RocksDbOptions options) {
    RocksDbBackend backend =
        RocksDbBackend.open(
            directory, new RocksDbBackend.Host(journal, threads, new VirtualClock()), options);
    backend.recover(journal);
    return backend;
  }

  /** Stores a value that cannot be compressed. */
  private void put(RocksDbBackend backend, int key) {
    byte[] value = new byte[VALUE_BYTES];
    random.nextBytes(value);
    StoreTurn turn = backend.store(KEY).beginTurn();
    turn.put(ByteBuffer.allocate(4).putInt(key).array(), value);
    turn.seal();
  }

  private static long nativeBytes(RocksDbBackend backend) throws RocksDBException {
    Database database = backend.database();
    return database.figure("rocksdb.block-cache-usage") // one cache for all families
        + database.figureOfAll("rocksdb.cur-size-all-mem-tables")
        + database.figureOfAll("rocksdb.estimate-table-readers-mem");
  }

  @Test
  void rocksDbStaysWithinItsMemoryWhateverIsWrittenAndRead() throws RocksDBException {
    long bytesMax = 12 << 20;
    int pairs = (int) (4 * bytesMax / VALUE_BYTES);
    try (InMemoryJournal journal = new InMemoryJournal(Durability.ON_APPEND);
        RocksDbBackend backend =
            open(journal, RocksDbOptions.DEFAULT.withMemoryBytesMax(bytesMax))) {
      journal.forgetful();
      for (int key = 0; key < pairs; key++) {
        put(backend, key);
        assertThat(nativeBytes(backend)).as("after write %d", key).isLessThan(bytesMax);
      }
      Quiet.await(backend);
      int found = 0;
      try (StoreScan scan = backend.store(KEY).beginTurn().scan(ALL)) {
        while (scan.next()) {
          found++;
          assertThat(nativeBytes(backend)).as("after read %d", found).isLessThan(bytesMax);
        }
      }
      assertThat(found).isEqualTo(pairs);
      // The cache is in use at all: else nothing would have been shown.
      assertThat(backend.database().figure("rocksdb.block-cache-usage"))
          .isBetween(bytesMax / 6, bytesMax / 3);
    }
  }

  @Test
  void writerWaitsWhileTheJournalStandsStillAndGoesOnWhenItIsDurable() throws Exception {
    int roomFor = 8;
    long pendingBytesMax = (long) roomFor * VALUE_BYTES;
    InMemoryJournal journal = new InMemoryJournal(Durability.MANUAL);
    try (RocksDbBackend backend =
            open(journal, RocksDbOptions.DEFAULT.withPendingBytesMax(pendingBytesMax));
        Closeable _ = journal::makeAllDurable) { // else close would wait too when the test fails
      FutureTask<Integer> writes =
          new FutureTask<>(
              () -> {
                for (int key = 0; key <= roomFor; key++) {
                  put(backend, key);
                }
                return roomFor + 1;
              });
      Thread writer = Thread.ofVirtual().start(writes);

      journal.awaitAppended(roomFor); // before that it may wait for a storage thread
      assertThat(waits(writer)).isTrue();
      // Every value is a little more than its bytes: the last that fits fills the room.
      assertThat(journal.lastPosition()).isEqualTo(roomFor);
      journal.awaitWaiters(1); // the writer has asked for a sync, which does not come

      journal.makeAllDurable();

      assertThat(writes.get()).isEqualTo(roomFor + 1);
      assertThat(journal.lastPosition()).isEqualTo(roomFor + 1);
    }
  }

  /** {@return whether a thread comes to wait for another one, instead of ending by itself} */
  private static boolean waits(Thread thread) {
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
}
