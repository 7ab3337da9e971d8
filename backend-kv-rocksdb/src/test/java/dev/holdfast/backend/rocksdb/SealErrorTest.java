package dev.holdfast.backend.rocksdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.errors.CommitRefusedException;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.faults.ForwardingJournal;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.VirtualClock;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a batch when an error strikes after the journal has it. */
final class SealErrorTest {

  @TempDir Path directory;

  private static final ObjectKey KEY = object(1);
  private static final ObjectKey OTHER = object(2);

  private static ObjectKey object(int number) {
    byte[] id = new byte[ObjectId.LENGTH_BYTES];
    id[0] = (byte) number;
    return new ObjectKey("n", ObjectId.of(id, null));
  }

  /** Memory runs out as the append returns (the waiter of a large record, the pending maps...). */
  private static final class Short extends ForwardingJournal {
    boolean fail;
    volatile boolean failNextLook;

    Short(Journal journal) {
      super(journal);
    }

    @Override
    public long append(
        RecordKind kind,
        int viewId,
        ObjectKey key,
        @Nullable ChainLink link,
        ByteBuffer payload,
        @Nullable ByteBuffer events) {
      long position = journal.append(kind, viewId, key, link, payload, events);
      if (fail) {
        fail = false;
        throw new OutOfMemoryError("injected");
      }
      return position;
    }

    @Override
    public long durablePosition() {
      if (failNextLook) {
        failNextLook = false;
        throw new OutOfMemoryError("injected");
      }
      return journal.durablePosition();
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static String get(RocksDbBackend backend, ObjectKey object, String key) {
    StoreTurn turn = backend.store(object).beginTurn();
    byte[] found = turn.get(bytes(key));
    turn.discard();
    return found == null ? "none" : new String(found, UTF_8);
  }

  private final VirtualClock clock = new VirtualClock();

  private RocksDbBackend open(
      Path directory, Journal journal, InMemoryJournal log, StorageThreads threads) {
    RocksDbBackend backend =
        RocksDbBackend.open(
            directory, new RocksDbBackend.Host(journal, threads, clock), RocksDbOptions.DEFAULT);
    backend.recover(log);
    return backend;
  }

  private static void put(RocksDbBackend backend, Journal journal, ObjectKey object, String value) {
    StoreTurn turn = backend.store(object).beginTurn();
    turn.put(bytes("a"), bytes(value));
    journal.awaitDurable(turn.seal());
  }

  /** As that of a shard, whose log takes less at once. */
  @Test
  void turnThatIsLongerThanARecordOfTheJournalIsRefused() {
    InMemoryJournal log = new InMemoryJournal();
    Journal journal =
        new ForwardingJournal(log) {
          @Override
          public int payloadBytesMax() {
            return 1 << 20;
          }
        };
    try (StorageThreads threads = new StorageThreads(2);
        RocksDbBackend backend = open(directory, journal, log, threads)) {
      put(backend, journal, KEY, "1");
      long position = log.lastPosition();

      assertThatThrownBy(() -> put(backend, journal, KEY, "x".repeat(1 << 20)))
          .isInstanceOf(CommitRefusedException.class)
          .hasMessageContaining("a batch of 1 MiB");

      assertThat(log.lastPosition()).isEqualTo(position);
      assertThat(get(backend, KEY, "a")).isEqualTo("1");
      put(backend, journal, KEY, "2");
      log.makeAllDurable();
    }
  }

  /** The turn whose error came when the journal had the batch. */
  private static void putInDoubt(RocksDbBackend backend, Short journal) {
    put(backend, journal, KEY, "1");
    put(backend, journal, OTHER, "1");
    journal.fail = true;
    assertThatThrownBy(() -> put(backend, journal, KEY, "2")).isInstanceOf(OutOfMemoryError.class);
  }

  @Test
  void objectInDoubtIsRefusedAndOthersGoOn() {
    InMemoryJournal log = new InMemoryJournal();
    Short journal = new Short(log);
    try (StorageThreads threads = new StorageThreads(2);
        RocksDbBackend backend = open(directory, journal, log, threads)) {
      putInDoubt(backend, journal);

      assertThatThrownBy(() -> get(backend, KEY, "a"))
          .isInstanceOf(StorageFailedException.class)
          .hasMessageContaining("open it again");
      put(backend, journal, OTHER, "2");
      log.makeAllDurable();
      backend.applier().settle();
      backend.checkpointBefore(Long.MAX_VALUE);
      backend.applier().settle();

      assertThat(get(backend, OTHER, "a")).isEqualTo("2");
      assertThat(backend.backlog().of(OTHER)).isNull();
      // Position 3 is the batch in doubt.
      assertThat(backend.lowWaterMark()).isEqualTo(3);
    }
  }

  @Test
  void databaseIsFlushedAgainAfterMemoryEndedBeforeAFlush() throws InterruptedException {
    InMemoryJournal log = new InMemoryJournal();
    Short journal = new Short(log);
    try (StorageThreads threads = new StorageThreads(1);
        RocksDbBackend backend = open(directory, journal, log, threads)) {
      put(backend, journal, KEY, "1");
      log.makeAllDurable();
      journal.failNextLook = true;
      backend.checkpointBefore(Long.MAX_VALUE);
      awaitIdle(threads);
      assertThat(backend.lowWaterMark()).isEqualTo(1);

      backend.checkpointBefore(Long.MAX_VALUE);
      awaitIdle(threads);

      assertThat(backend.lowWaterMark()).isEqualTo(Long.MAX_VALUE);
    }
  }

  /** No thread writes any more, so nothing else causes a check. */
  @Test
  void databaseGetsWhatIsDurableAfterMemoryEndedBeforeARun() throws InterruptedException {
    InMemoryJournal log = new InMemoryJournal();
    Short journal = new Short(log);
    try (StorageThreads threads = new StorageThreads(1);
        RocksDbBackend backend = open(directory, journal, log, threads)) {
      put(backend, journal, KEY, "1");
      journal.failNextLook = true;
      clock.advance(RocksDbOptions.DEFAULT.applyDelay());
      awaitIdle(threads);
      assertThat(journal.failNextLook).as("the run has met the error").isFalse();
      assertThat(backend.backlog().of(KEY)).isNotNull();

      clock.advance(Duration.ofSeconds(1));
      awaitIdle(threads);

      assertThat(backend.backlog().of(KEY)).isNull();
      assertThat(get(backend, KEY, "a")).isEqualTo("1");
    }
  }

  /** There is one thread, which does one thing after the other. */
  private static void awaitIdle(StorageThreads threads) throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    threads.execute(done::countDown);
    done.await();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void viewEqualsTheJournalAfterTheNextOpening(boolean closedInGoodOrder) {
    InMemoryJournal log = new InMemoryJournal();
    Short journal = new Short(log);
    try (StorageThreads threads = new StorageThreads(2)) {
      RocksDbBackend backend = open(directory, journal, log, threads);
      putInDoubt(backend, journal);
      put(backend, journal, OTHER, "2");
      log.makeAllDurable();
      backend.applier().settle();
      if (closedInGoodOrder) {
        backend.close();
      }
      InMemoryJournal after = log.crash();
      backend.close(); // whose journal has failed: not even a flush in good order

      try (RocksDbBackend second = open(directory, after, after, threads)) {
        assertThat(get(second, KEY, "a")).isEqualTo("2");
        assertThat(get(second, OTHER, "a")).isEqualTo("2");
        put(second, after, KEY, "3");
        assertThat(get(second, KEY, "a")).isEqualTo("3");
      }
    }
  }

  @Test
  void batchThatIsTooLargeForARecordIsRefusedAndChangesNothing() {
    InMemoryJournal log = new InMemoryJournal();
    try (StorageThreads threads = new StorageThreads(2);
        RocksDbBackend backend = open(directory, log, log, threads)) {
      StoreTurn turn = backend.store(KEY).beginTurn();
      byte[] value = new byte[1 << 20];
      for (int number = 0; number < 1_100; number++) {
        turn.put(bytes("key " + number), value); // the same bytes: no memory is needed
      }
      assertThatThrownBy(turn::seal)
          .isInstanceOf(CommitRefusedException.class)
          .hasMessageContaining("1024 MiB");
      turn.discard();

      assertThat(get(backend, KEY, "key 1")).isEqualTo("none");
      assertThat(log.lastPosition()).isEqualTo(Journal.START);
      put(backend, log, KEY, "1");
      assertThat(get(backend, KEY, "a")).isEqualTo("1");
    }
  }
}
