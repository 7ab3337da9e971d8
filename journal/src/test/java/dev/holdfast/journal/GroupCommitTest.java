package dev.holdfast.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.TimeSource;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.journal.file.Uninterruptibly;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.testkit.VirtualClock;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which thread leads, waits and is notified: the schedules of group commit. */
final class GroupCommitTest {

  private static final JournalOptions OPTIONS = Journals.SMALL.withSegmentBytes(1 << 20);

  @TempDir Path directory;

  private final HeldDisk disk = new HeldDisk();
  private final VirtualClock clock = new VirtualClock();
  private FileJournal journal;

  @BeforeEach
  void open() {
    journal = FileJournal.open(directory, clock, OPTIONS.withDisk(disk));
    Journals.write(journal, "first"); // so that the first segment is there
  }

  @AfterEach
  void close() {
    disk.letAll();
    journal.close();
  }

  // ---- leading

  @Test
  void singlePlatformThreadLeadsItsOwnFlush() {
    Journals.write(journal, "a");
    assertThat(disk.leaders()).containsOnly(Thread.currentThread());
  }

  @Test
  void virtualThreadNeverLeads() throws InterruptedException {
    Thread caller = Thread.startVirtualThread(() -> Journals.write(journal, "a"));
    caller.join();
    assertThat(disk.leaders().getLast()).isNotEqualTo(caller).matches(Thread::isDaemon);
    assertThat(journal.durablePosition()).isEqualTo(2);
  }

  @Test
  void recordsThatGatherDuringASyncShareTheNextOne() {
    disk.hold();
    List<Thread> callers = start(1, Thread.ofPlatform()::start, "a");
    disk.awaitHeld();
    int before = disk.leaders().size();
    callers.addAll(start(20, Thread.ofPlatform()::start, "b"));
    callers.addAll(start(20, Thread::startVirtualThread, "c"));
    awaitAppended(42); // not "all are parked": one may be waiting for the journal's lock
    disk.letAll();
    callers.forEach(Uninterruptibly::join);
    assertThat(journal.durablePosition()).isEqualTo(42);
    assertThat(disk.leaders()).hasSize(before + 1);
  }

  @Test
  void waitingPlatformThreadLeadsTheNextFlush() {
    disk.hold();
    List<Thread> callers = start(1, Thread.ofPlatform()::start, "a");
    disk.awaitHeld();
    List<Thread> next = start(1, Thread.ofPlatform()::start, "b");
    next.forEach(GroupCommitTest::awaitParked);
    disk.letOne();
    disk.awaitHeld();
    assertThat(disk.leaders().getLast()).isEqualTo(next.getFirst());
    disk.letAll();
    callers.forEach(Uninterruptibly::join);
    next.forEach(Uninterruptibly::join);
  }

  @Test
  void leaderDoesNotReturnBeforeAndNotLongAfterItsOwnFlush() {
    disk.hold();
    List<Thread> callers = start(1, Thread.ofPlatform()::start, "a");
    disk.awaitHeld();
    List<Thread> next = start(1, Thread::startVirtualThread, "b");
    next.forEach(GroupCommitTest::awaitParked);
    assertThat(callers.getFirst().isAlive()).isTrue();
    disk.letOne();
    Uninterruptibly.join(callers.getFirst()); // though the next flush is still held
    assertThat(journal.durablePosition()).isEqualTo(2);
    disk.letAll();
    next.forEach(Uninterruptibly::join);
  }

  @Test
  void noWakeUpIsLostAmongManyThreadsOfBothKinds() {
    AtomicLong written = new AtomicLong();
    IntFunction<Runnable> writer =
        number ->
            () -> {
              for (int i = 0; i < 60; i++) {
                long position = Journals.append(journal, number + "-" + i);
                if ((number + i) % 7 != 0) {
                  journal.awaitDurable(position);
                  assertThat(journal.durablePosition()).isGreaterThanOrEqualTo(position);
                }
                written.incrementAndGet();
              }
            };
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      Runnable work = writer.apply(i);
      threads.add(i % 10 == 0 ? Thread.ofPlatform().start(work) : Thread.startVirtualThread(work));
    }
    threads.forEach(Uninterruptibly::join);
    assertThat(written).hasValue(200 * 60);
    journal.awaitDurable(journal.lastPosition());
    assertThat(journal.durablePosition()).isEqualTo(1 + 200 * 60);
  }

  // ---- waiting

  @Test
  void interruptNeitherEndsTheWaitNorHarmsTheJournal() {
    AtomicBoolean stillInterrupted = new AtomicBoolean();
    disk.hold();
    List<Thread> callers = start(1, Thread.ofPlatform()::start, "a");
    disk.awaitHeld();
    Thread waiter =
        Thread.startVirtualThread(
            () -> {
              Journals.write(journal, "b");
              stillInterrupted.set(Thread.currentThread().isInterrupted());
            });
    awaitParked(waiter);
    waiter.interrupt();
    callers.getFirst().interrupt();
    awaitParked(waiter);
    disk.letAll();
    Uninterruptibly.join(waiter);
    callers.forEach(Uninterruptibly::join);
    assertThat(stillInterrupted).isTrue();
    assertThat(Journals.write(journal, "c")).isEqualTo(4);
  }

  @Test
  void interruptedThreadLeadsAFlush() {
    Thread.currentThread().interrupt();
    Journals.write(journal, "a");
    assertThat(Thread.interrupted()).isTrue();
    assertThat(Journals.write(journal, "b")).isEqualTo(3);
  }

  @Test
  void positionThatWasNeverAppendedIsRefused() {
    assertThatThrownBy(() -> journal.awaitDurable(2)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> journal.whenDurable(2, failure -> {}))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void startIsAlwaysDurable() {
    journal.awaitDurable(Journal.START);
    AtomicBoolean notified = new AtomicBoolean();
    journal.whenDurable(Journal.START, failure -> notified.set(failure == null));
    assertThat(notified).isTrue();
  }

  // ---- listeners

  @Test
  void listenersAreNotifiedInTheOrderOfPositions() {
    List<Long> order = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch all = new CountDownLatch(500);
    disk.hold(); // a listener for a durable position is called on the calling thread
    for (int i = 0; i < 500; i++) {
      long position = Journals.append(journal, "x");
      journal.whenDurable(
          position,
          failure -> {
            order.add(position);
            all.countDown();
          });
      if (i % 50 == 0) {
        disk.awaitHeld();
        disk.letOne(); // the next group begins
      }
    }
    disk.letAll();
    await(all);
    assertThat(order).hasSize(500).isSorted();
  }

  /** The groups come from a queue with the latest first. */
  @Test
  void listenersOfGroupsThatCameWhileOneTookItsTimeAreNotifiedInOrder() {
    List<Long> order = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch goOn = new CountDownLatch(1);
    CountDownLatch all = new CountDownLatch(4);
    for (int i = 0; i < 4; i++) {
      long position = Journals.append(journal, "x");
      journal.whenDurable(
          position,
          failure -> {
            if (order.isEmpty()) {
              await(goOn);
            }
            order.add(position);
            all.countDown();
          });
      journal.awaitDurable(position); // a group of its own
    }
    goOn.countDown();
    await(all);
    assertThat(order).hasSize(4).isSorted();
  }

  @Test
  void listenerMayAppendAndWait() {
    CountDownLatch done = new CountDownLatch(1);
    journal.whenDurable(
        Journals.append(journal, "a"),
        failure -> {
          Journals.write(journal, "b");
          done.countDown();
        });
    await(done);
    assertThat(journal.durablePosition()).isEqualTo(3);
  }

  @Test
  void failingListenerDoesNotKeepOthersWaiting() {
    CountDownLatch done = new CountDownLatch(1);
    long position = Journals.append(journal, "a");
    journal.whenDurable(
        position,
        failure -> {
          throw new IllegalStateException("a listener's own fault");
        });
    journal.whenDurable(position, failure -> done.countDown());
    await(done);
  }

  @Test
  void interruptWhileClosingDoesNotDropListeners() {
    AtomicLong notified = new AtomicLong();
    for (int i = 0; i < 200; i++) {
      journal.whenDurable(Journals.append(journal, "a"), failure -> notified.incrementAndGet());
    }
    Thread.currentThread().interrupt();
    journal.close();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(notified).hasValue(200);
  }

  // ---- records without waiters

  @Test
  void recordNobodyWaitsForIsWrittenAfterAWhile() {
    disk.hold();
    Journals.append(journal, "a");
    clock.advance(Duration.ofMillis(10));
    disk.awaitHeld();
    disk.letAll();
  }

  @Test
  void lingeringTimersDoNotPileUp() {
    for (int i = 0; i < 100; i++) {
      Journals.write(journal, "a");
    }
    assertThat(clock.pendingTimers()).isEqualTo(1);
    clock.advance(Duration.ofSeconds(1));
    assertThat(clock.pendingTimers()).isZero();
  }

  /** Otherwise its appender would consider a record refused that becomes durable. */
  @Test
  void timerThatCannotBeSetRefusesTheRecordInsteadOfFailingAfterIt() {
    OutOfMemoryError error = new OutOfMemoryError("injected");
    try (FileJournal failing =
        FileJournal.open(
            directory.resolve("failing"),
            timer(
                _ -> {
                  throw error;
                }),
            OPTIONS)) {
      assertThatThrownBy(() -> Journals.append(failing, "a")).isSameAs(error);
      assertThat(failing.lastPosition()).isZero();
    }
  }

  @Test
  void recordWhoseTimerHasEndedBeforeItWasAddedIsWrittenAtOnce() {
    HeldDisk held = new HeldDisk();
    try (FileJournal hasty =
        FileJournal.open(
            directory.resolve("hasty"), timer(Runnable::run), OPTIONS.withDisk(held))) {
      Journals.write(hasty, "a");
      held.hold();
      Journals.append(hasty, "b");
      held.awaitHeld();
      held.letAll();
    }
  }

  /** {@return the clock of this test, with other timers} */
  private TimeSource timer(Consumer<Runnable> schedule) {
    return new TimeSource() {
      @Override
      public long wallMillis() {
        return clock.wallMillis();
      }

      @Override
      public long monotonicNanos() {
        return clock.monotonicNanos();
      }

      @Override
      public Timer schedule(long delayNanos, Runnable task) {
        schedule.accept(task);
        return () -> false;
      }
    };
  }

  // ---- back-pressure

  @Test
  void appendsWaitWhenTooMuchHasGathered() {
    disk.hold();
    List<Thread> callers = start(1, Thread.ofPlatform()::start, "a");
    disk.awaitHeld();
    byte[] payload = new byte[1000];
    Thread appender =
        Thread.startVirtualThread(
            () -> {
              for (int i = 0; i < 200; i++) {
                Journals.append(journal, payload);
              }
            });
    awaitParked(appender);
    assertThat(journal.lastPosition()).isBetween(50L, 64L);
    disk.letAll();
    Uninterruptibly.join(appender);
    callers.forEach(Uninterruptibly::join);
    assertThat(journal.lastPosition()).isEqualTo(202);
  }

  @Test
  void largeRecordIsNotStarvedBySmallOnes() {
    AtomicBoolean stop = new AtomicBoolean();
    List<Thread> small = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      small.add(
          Thread.startVirtualThread(
              () -> {
                while (!stop.get()) {
                  Journals.write(journal, "s");
                }
              }));
    }
    for (int i = 0; i < 5; i++) {
      Journals.append(journal, new byte[3 << 20]); // three ordinary segments
    }
    stop.set(true);
    small.forEach(Uninterruptibly::join);
    assertThat(journal.failure()).isNull();
  }

  @Test
  void largePayloadsOfEveryKindOfBufferAreWritten() {
    ByteBuffer direct = ByteBuffer.allocateDirect(100_000);
    ByteBuffer slice = ByteBuffer.allocate(200_000).position(50_000).slice().limit(100_000);
    for (ByteBuffer payload :
        List.of(direct, slice, slice.asReadOnlyBuffer(), ByteBuffer.allocate(100_000))) {
      ByteBuffer before = payload.duplicate();
      journal.append(Journals.BATCH, 1, Journals.KEY, ChainLink.FIRST, payload);
      assertThat(payload).isEqualTo(before);
    }
    journal.close();
    assertThat(Journals.reopened(directory)).hasSize(5).contains("\0".repeat(100_000));
  }

  // ---- closing

  @Test
  void closedJournalRefusesAppendsAndKnowsWhatIsDurable() {
    Journals.append(journal, "a");
    journal.close();
    journal.close();
    journal.awaitDurable(2);
    assertThatThrownBy(() -> Journals.append(journal, "b"))
        .isInstanceOf(JournalFailedException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void virtualThreadMayClose() throws InterruptedException {
    Journals.append(journal, "a");
    Thread.startVirtualThread(journal::close).join();
    assertThat(Journals.reopened(directory)).containsExactly("first", "a");
  }

  private List<Thread> start(int count, Function<Runnable, Thread> kind, String text) {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      threads.add(kind.apply(() -> Journals.write(journal, text)));
    }
    return threads;
  }

  /** Waits until a thread is blocked. */
  private static void awaitParked(Thread thread) {
    while (thread.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
  }

  private void awaitAppended(long position) {
    while (journal.lastPosition() < position) {
      Thread.onSpinWait();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
