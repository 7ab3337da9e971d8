package dev.holdfast.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.TimeSource;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.testkit.VirtualClock;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the engine and the backends may expect of a journal, wherever it keeps its records. */
public abstract class JournalContract {

  private static final int VIEW = 3;

  private static final ObjectKey KEY = new ObjectKey("accounts", ObjectId.of(new byte[32], null));

  @TempDir private Path directory;

  private final VirtualClock clock = new VirtualClock(Instant.parse("2026-02-03T04:05:06Z"));
  private @Nullable Opened opened;

  /** An open journal. */
  protected interface Opened extends AutoCloseable {

    /** {@return the journal} */
    Journal journal();

    /** {@return the records that were durable when it was opened} */
    RecoveryLog recovered();

    /** Closes the journal and all that was opened with it. */
    @Override
    void close();
  }

  /** For subclasses. */
  protected JournalContract() {}

  /**
   * Opens the journal under test: empty at first, later in the state that the last one was closed
   * in.
   *
   * @param place an empty directory, or the same as before
   * @param time the clock of its records
   * @return the journal
   */
  protected abstract Opened open(Path place, TimeSource time);

  @BeforeEach
  void openEmpty() {
    opened = open(directory, clock);
  }

  /** Ends what the journals of a test shared, after the last one was closed. */
  protected void end() {}

  @AfterEach
  void close() {
    opened().close();
    end();
  }

  private Opened opened() {
    return Objects.requireNonNull(opened, "the test has not begun");
  }

  private Journal journal() {
    return opened().journal();
  }

  private void reopen() {
    opened().close();
    opened = open(directory, clock);
  }

  private long append(String text) {
    return journal()
        .append(
            RecordKind.BATCH,
            VIEW,
            KEY,
            ChainLink.FIRST,
            ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
  }

  private List<String> recovered() {
    List<String> texts = new ArrayList<>();
    opened().recovered().forEach(record -> texts.add(describe(record)));
    return texts;
  }

  private static String describe(JournalRecord record) {
    return record.position()
        + " "
        + record.kind()
        + " "
        + record.viewId()
        + " "
        + StandardCharsets.UTF_8.decode(record.payload().duplicate());
  }

  @Test
  void emptyJournalIsAtItsStart() {
    assertThat(journal().lastPosition()).isEqualTo(Journal.START);
    assertThat(journal().durablePosition()).isEqualTo(Journal.START);
    assertThat(journal().failure()).isNull();
    assertThat(recovered()).isEmpty();
    journal().awaitDurable(Journal.START);
    reopen();
    assertThat(recovered()).isEmpty();
  }

  @Test
  void positionsAreDenseAndARecordIsDurableWhenTheWaitEnds() {
    assertThat(append("one")).isEqualTo(1);
    assertThat(append("two")).isEqualTo(2);
    assertThat(journal().lastPosition()).isEqualTo(2);
    journal().awaitDurable(1);
    assertThat(journal().durablePosition()).isBetween(1L, 2L);
    journal().awaitDurable(2);
    assertThat(journal().durablePosition()).isEqualTo(2);
    assertThat(append("three")).isEqualTo(3);
  }

  @Test
  void recordsAreKeptAsTheyWereAppended() {
    ObjectKey other = new ObjectKey("\u00fcber", ObjectId.of(filled(7), null));
    append("first");
    clock.advance(Duration.ofSeconds(1));
    journal().append(RecordKind.CHECKPOINT, 255, other, ByteBuffer.wrap(new byte[] {1, 2}));
    journal().append(RecordKind.RESTORE, VIEW, KEY, ChainLink.FIRST, ByteBuffer.allocate(0));
    reopen();
    List<JournalRecord> records = new ArrayList<>();
    List<byte[]> payloads = new ArrayList<>();
    opened()
        .recovered()
        .forEach(
            record -> {
              records.add(record);
              byte[] payload = new byte[record.payload().remaining()];
              record.payload().duplicate().get(payload);
              payloads.add(payload);
            });
    assertThat(records).extracting(JournalRecord::position).containsExactly(1L, 2L, 3L);
    assertThat(records)
        .extracting(JournalRecord::kind)
        .containsExactly(RecordKind.BATCH, RecordKind.CHECKPOINT, RecordKind.RESTORE);
    assertThat(records).extracting(JournalRecord::viewId).containsExactly(VIEW, 255, VIEW);
    assertThat(records).extracting(JournalRecord::key).containsExactly(KEY, other, KEY);
    assertThat(records)
        .extracting(JournalRecord::wallMillis)
        .containsExactly(1770091506000L, 1770091507000L, 1770091507000L);
    assertThat(payloads.get(0)).asString().isEqualTo("first");
    assertThat(payloads.get(1)).containsExactly(1, 2);
    assertThat(payloads.get(2)).isEmpty();
  }

  private static byte[] filled(int value) {
    byte[] bytes = new byte[ObjectId.LENGTH_BYTES];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  @Test
  void reopenedJournalContinuesAfterItsLastRecord() {
    append("one");
    append("two");
    reopen();
    assertThat(journal().lastPosition()).isEqualTo(2);
    assertThat(journal().durablePosition()).isEqualTo(2);
    assertThat(append("three")).isEqualTo(3);
    reopen();
    assertThat(recovered()).containsExactly("1 BATCH 3 one", "2 BATCH 3 two", "3 BATCH 3 three");
  }

  @Test
  void idOfTheJournalStaysOnceARecordIsDurable() {
    append("one");
    reopen();
    long id = opened().recovered().journalId();
    append("two");
    reopen();
    assertThat(opened().recovered().journalId()).isEqualTo(id);
  }

  @Test
  void eventsAreDirectlyBeforeTheirBatch() {
    append("one");
    long position =
        journal()
            .append(
                RecordKind.BATCH,
                VIEW,
                KEY,
                ChainLink.FIRST,
                ByteBuffer.wrap(new byte[] {'b'}),
                ByteBuffer.wrap(new byte[] {'e'}));
    assertThat(position).isEqualTo(3);
    reopen();
    assertThat(recovered()).containsExactly("1 BATCH 3 one", "2 CHECKPOINT 17 e", "3 BATCH 3 b");
  }

  @Test
  void callerMayReuseThePayload() {
    byte[] small = {'s'};
    byte[] large = new byte[5 << 20];
    Arrays.fill(large, (byte) 'l');
    journal().append(RecordKind.BATCH, VIEW, KEY, ChainLink.FIRST, ByteBuffer.wrap(small));
    journal().append(RecordKind.BATCH, VIEW, KEY, ChainLink.FIRST, ByteBuffer.wrap(large));
    Arrays.fill(small, (byte) 0);
    Arrays.fill(large, (byte) 0);
    append("after");
    reopen();
    assertThat(recovered())
        .containsExactly("1 BATCH 3 s", "2 BATCH 3 " + "l".repeat(5 << 20), "3 BATCH 3 after");
  }

  /**
   * A record may be durable before its listener is there. Such a listener is called at once,
   * perhaps before those that the journal has yet to call.
   */
  @Test
  void listenersAreCalledOnceAndByTheJournalInTheOrderOfTheirPositions() {
    Thread appender = Thread.currentThread();
    List<Long> heard = Collections.synchronizedList(new ArrayList<>());
    List<Long> heardFromTheJournal = Collections.synchronizedList(new ArrayList<>());
    List<RuntimeException> failures = Collections.synchronizedList(new ArrayList<>());
    CompletableFuture<Void> all = new CompletableFuture<>();
    for (int i = 1; i <= 100; i++) {
      long position = append("r" + i);
      journal()
          .whenDurable(
              position,
              failure -> {
                if (failure != null || journal().durablePosition() < position) {
                  failures.add(new IllegalStateException("position " + position, failure));
                }
                if (!Thread.currentThread().equals(appender)) {
                  heardFromTheJournal.add(position);
                }
                heard.add(position);
                if (heard.size() == 100) {
                  all.complete(null);
                }
              });
    }
    all.join();
    assertThat(failures).isEmpty();
    assertThat(heard)
        .containsExactlyInAnyOrderElementsOf(LongStream.rangeClosed(1, 100).boxed().toList());
    assertThat(heardFromTheJournal).isSorted();
  }

  @Test
  void listenerOfADurablePositionIsCalledAtOnce() {
    journal().awaitDurable(append("one"));
    List<Thread> callers = new ArrayList<>();
    journal().whenDurable(1, _ -> callers.add(Thread.currentThread()));
    journal().whenDurable(Journal.START, _ -> callers.add(Thread.currentThread()));
    assertThat(callers).containsExactly(Thread.currentThread(), Thread.currentThread());
  }

  @Test
  void positionThatWasNeverAppendedIsRefused() {
    append("one");
    assertThatThrownBy(() -> journal().awaitDurable(2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(" 2")
        .hasMessageContaining("the last one is 1");
    assertThatThrownBy(() -> journal().whenDurable(2, _ -> {}))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void waitKeepsTheInterrupt() {
    long position = append("one");
    Thread.currentThread().interrupt();
    journal().awaitDurable(position);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void closeIsNoFailureAndEndsTheAppends() {
    List<RuntimeException> failures = new ArrayList<>();
    journal().onFailure(failures::add);
    append("one");
    Journal closed = journal();
    closed.close();
    closed.close();
    assertThat(failures).isEmpty();
    assertThat(closed.durablePosition()).isEqualTo(1);
    closed.awaitDurable(1);
    assertThatThrownBy(() -> append("two")).isInstanceOf(JournalFailedException.class);
    reopen();
    assertThat(recovered()).containsExactly("1 BATCH 3 one");
  }

  @Test
  void manyThreadsAppendAndWaitAtOnce() throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    List<Throwable> errors = Collections.synchronizedList(new ArrayList<>());
    for (int number = 0; number < 8; number++) {
      int own = number;
      Runnable work = () -> appendInOrder(own);
      Thread thread =
          own % 2 == 0 ? Thread.ofPlatform().unstarted(work) : Thread.ofVirtual().unstarted(work);
      thread.setUncaughtExceptionHandler((_, error) -> errors.add(error));
      threads.add(thread);
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(errors).isEmpty();
    reopen();
    List<String> records = recovered();
    assertThat(records).hasSize(8 * 200).doesNotHaveDuplicates();
    for (int number = 0; number < 8; number++) {
      String mark = "thread " + number + ":";
      assertThat(records.stream().filter(each -> each.contains(mark)))
          .extracting(each -> Integer.parseInt(each.substring(each.lastIndexOf(' ') + 1)))
          .hasSize(200)
          .isSorted();
    }
  }

  private void appendInOrder(int thread) {
    long before = 0;
    for (int i = 0; i < 200; i++) {
      long position = append("thread " + thread + ": " + "x".repeat(i * 7) + " " + i);
      assertThat(position).isGreaterThan(before);
      before = position;
      if (i % 5 == 0) {
        journal().awaitDurable(position);
        assertThat(journal().durablePosition()).isGreaterThanOrEqualTo(position);
      }
    }
  }
}
