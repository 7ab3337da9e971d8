package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.holdfast.TimeSource;
import dev.holdfast.TimeSource.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class VirtualClockTest {

  private static final long NANOS_OF_A_SECOND = 1_000_000_000;

  private static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");

  private final VirtualClock clock = new VirtualClock(NOON);
  private final List<String> log = Collections.synchronizedList(new ArrayList<>());

  @Test
  void standsStillUntilItIsAdvanced() {
    assertThat(clock.now()).isEqualTo(NOON);
    assertThat(clock.monotonicNanos()).isZero();

    clock.advance(Duration.ofMillis(1500));

    assertThat(clock.wallMillis()).isEqualTo(NOON.toEpochMilli() + 1500);
    assertThat(clock.monotonicNanos()).isEqualTo(1_500_000_000L);
  }

  @Test
  void timersRunInOrderOfDueTimeThenOfScheduling() {
    schedule(2, "late");
    schedule(1, "first of one second");
    schedule(1, "second of one second");

    clock.advance(Duration.ofSeconds(2));

    assertThat(log).containsExactly("first of one second", "second of one second", "late");
  }

  @Test
  void timerRunsAtItsDueTimeAndNotBefore() {
    clock.schedule(Duration.ofSeconds(10).toNanos(), () -> log.add(clock.now().toString()));

    clock.advance(Duration.ofSeconds(10).minusNanos(1));
    assertThat(log).isEmpty();

    clock.advance(Duration.ofHours(1));
    assertThat(log).containsExactly("2026-06-01T12:00:10Z");
    assertThat(clock.now()).isEqualTo(NOON.plusNanos(3_609_999_999_999L));
  }

  @Test
  void timerScheduledByATimerRunsInTheSameAdvance() {
    clock.schedule(1, () -> schedule(1, "inner"));

    clock.advance(Duration.ofSeconds(2));

    assertThat(log).containsExactly("inner");
  }

  @Test
  void zeroDelayRunsWithTheNextAdvance() {
    schedule(0, "due");
    assertThat(log).isEmpty();

    clock.advance(Duration.ZERO);

    assertThat(log).containsExactly("due");
  }

  @Test
  void cancelledTimerDoesNotRun() {
    Timer timer = clock.schedule(1, () -> log.add("cancelled"));

    assertThat(timer.cancel()).isTrue();
    assertThat(timer.cancel()).isFalse();
    clock.advance(Duration.ofSeconds(1));

    assertThat(log).isEmpty();
  }

  @Test
  void timerThatHasRunCannotBeCancelled() {
    Timer timer = clock.schedule(1, () -> log.add("ran"));
    clock.advance(Duration.ofSeconds(1));

    assertThat(timer.cancel()).isFalse();
  }

  @Test
  void wallClockJumpsBothWaysAndTimersDoNotNotice() {
    schedule(5, "timer");

    clock.setWallClock(NOON.plus(Duration.ofDays(1)));
    assertThat(clock.now()).isEqualTo(NOON.plus(Duration.ofDays(1)));
    clock.setWallClock(NOON.minus(Duration.ofDays(1)));
    clock.advance(Duration.ofSeconds(4));

    assertThat(log).isEmpty();
    assertThat(clock.now()).isEqualTo(NOON.minus(Duration.ofDays(1)).plusSeconds(4));
    clock.advance(Duration.ofSeconds(1));
    assertThat(log).containsExactly("timer");
  }

  @Test
  void advanceToNextTimerRunsExactlyOne() {
    schedule(3, "first");
    schedule(3, "second");
    assertThat(clock.untilNextTimer()).contains(Duration.ofSeconds(3));

    assertThat(clock.advanceToNextTimer()).isTrue();

    assertThat(log).containsExactly("first");
    assertThat(clock.untilNextTimer()).contains(Duration.ZERO);
    assertThat(clock.advanceToNextTimer()).isTrue();
    assertThat(clock.advanceToNextTimer()).isFalse();
    assertThat(clock.untilNextTimer()).isEmpty();
  }

  @Test
  void timerInTheFarFutureDoesNotOverflow() {
    clock.advance(Duration.ofSeconds(1));
    clock.schedule(Long.MAX_VALUE, () -> log.add("never"));

    clock.advance(Duration.ofDays(365));

    assertThat(log).isEmpty();
    assertThat(clock.pendingTimers()).isEqualTo(1);
  }

  @Test
  void timerMustNotAdvanceTheClock() {
    clock.schedule(0, () -> clock.advance(Duration.ofSeconds(1)));

    assertThatIllegalStateException().isThrownBy(() -> clock.advance(Duration.ZERO));
  }

  @Test
  void clockDoesNotGoBack() {
    assertThatIllegalArgumentException().isThrownBy(() -> clock.advance(Duration.ofNanos(-1)));
    assertThatIllegalArgumentException().isThrownBy(() -> clock.schedule(-1, () -> {}));
  }

  @Test
  void testWaitsForTimersOfOtherThreads() throws InterruptedException {
    Thread.ofVirtual().start(() -> schedule(1, "other thread"));

    clock.awaitPendingTimers(1);
    clock.advance(Duration.ofSeconds(1));

    assertThat(log).containsExactly("other thread");
  }

  @Test
  void waitEndsWhenNobodyMovesTheClock() {
    VirtualClock abandoned = new VirtualClock(VirtualClock.DEFAULT_START, Duration.ZERO);
    CompletableFuture<Long> ended = new CompletableFuture<>();
    abandoned.schedule(NANOS_OF_A_SECOND, () -> log.add("other"));
    abandoned.schedule(
        2 * NANOS_OF_A_SECOND, new EndOfWait(() -> ended.complete(abandoned.monotonicNanos())));

    assertThat(ended.join()).isEqualTo(2 * NANOS_OF_A_SECOND);
    assertThat(log).isEmpty();
    abandoned.advance(Duration.ZERO);
    assertThat(log).containsExactly("other");
  }

  @Test
  void endOfAWaitIsATimerLikeOthersWhileSomebodyMovesTheClock() {
    Timer cancelled = clock.schedule(NANOS_OF_A_SECOND, new EndOfWait(() -> log.add("cancelled")));
    clock.schedule(NANOS_OF_A_SECOND, new EndOfWait(() -> log.add("ended")));

    assertThat(cancelled.cancel()).isTrue();
    clock.advance(Duration.ofSeconds(1));

    assertThat(log).containsExactly("ended");
    assertThat(clock.pendingTimers()).isZero();
  }

  @Test
  void clockStandsWhileAThreadOfItsOwnRuns() {
    clock.schedule(
        NANOS_OF_A_SECOND, () -> clock.newThread(() -> joinAnotherThread("thread")).start());
    schedule(1, "timer");

    clock.advance(Duration.ofSeconds(1));

    assertThat(log).containsExactly("thread", "timer");
  }

  /** Waits for a thread that the clock does not know, as a handler waits for the disk. */
  private void joinAnotherThread(String text) {
    Thread other =
        Thread.ofPlatform()
            .start(
                () -> {
                  for (int i = 0; i < 1_000; i++) {
                    Thread.yield();
                  }
                });
    try {
      other.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    log.add(text);
  }

  @Test
  void clockAdvancesWhileItsThreadWaitsAndStandsAgainWhenTheWaitIsOver() {
    Signal signal = new Signal();
    clock
        .newThread(
            () -> {
              signal.await();
              joinAnotherThread("thread");
            })
        .start();
    schedule(1, "before");
    clock.schedule(2 * NANOS_OF_A_SECOND, signal::give);
    schedule(2, "after");

    clock.advance(Duration.ofSeconds(2));

    assertThat(log).containsExactly("before", "thread", "after");
  }

  @Test
  void clockStandsWhileAnInterruptedThreadLeavesItsWait() {
    Thread thread =
        clock.newThread(
            () -> {
              new Signal().await();
              joinAnotherThread("thread");
            });
    thread.start();
    clock.schedule(NANOS_OF_A_SECOND, thread::interrupt);
    schedule(1, "after");

    clock.advance(Duration.ofSeconds(1));

    assertThat(log).containsExactly("thread", "after");
  }

  /** A thread that was looked at may be woken by one that was not, and end before that is. */
  @Test
  void clockStandsUntilThreadsThatWakeEachOtherAllWait() {
    int threads = 8;
    int rounds = 300;
    List<Signal> signals = Stream.generate(Signal::new).limit(threads).toList();
    AtomicInteger steps = new AtomicInteger();
    for (int i = 0; i < threads; i++) {
      Signal own = signals.get(i);
      @Nullable Signal next = i + 1 < threads ? signals.get(i + 1) : null;
      clock
          .newThread(
              () -> {
                for (int round = 0; round < rounds; round++) {
                  own.await();
                  steps.incrementAndGet();
                  if (next != null) {
                    next.give();
                  }
                }
              })
          .start();
    }
    for (int round = 1; round <= rounds; round++) {
      int expected = (round - 1) * threads;
      clock.schedule(
          round * NANOS_OF_A_SECOND,
          () -> {
            assertThat(steps).hasValue(expected);
            signals.getFirst().give();
          });
    }

    clock.advance(Duration.ofSeconds(rounds));

    assertThat(steps).hasValue(rounds * threads);
  }

  @Test
  void threadThatWasNotStartedDoesNotHoldTheClock() {
    Thread unused = clock.newThread(() -> {});
    schedule(1, "timer");

    clock.advance(Duration.ofSeconds(1));

    assertThat(log).containsExactly("timer");
    assertThat(unused.getState()).isEqualTo(Thread.State.NEW);
  }

  @Test
  void threadOfTheClockMustNotAdvanceIt() throws InterruptedException {
    Thread thread =
        clock.newThread(
            () ->
                assertThatIllegalStateException()
                    .isThrownBy(() -> clock.advance(Duration.ZERO))
                    .satisfies(e -> log.add("refused")));
    thread.start();
    thread.join();

    assertThat(log).containsExactly("refused");
  }

  /** Lets one thread go on, any number of times; an interrupt ends the wait. */
  private static final class Signal {
    private final AtomicInteger given = new AtomicInteger();
    private volatile @Nullable Thread waiting;

    void give() {
      given.incrementAndGet();
      LockSupport.unpark(waiting);
    }

    void await() {
      waiting = Thread.currentThread();
      // One object for each wait: the clock knows by it that a thread has not run in between.
      TimeSource.Wait wait =
          new TimeSource.Wait() {
            @Override
            public boolean isOver() {
              return given.get() > 0;
            }
          };
      while (!wait.isOver()) {
        LockSupport.park(wait);
        if (Thread.interrupted()) {
          return;
        }
      }
      given.decrementAndGet();
    }
  }

  /** Ends a wait of the thread that schedules it. */
  private record EndOfWait(Runnable task) implements Runnable, TimeSource.Wait {

    @Override
    public void run() {
      task.run();
    }

    @Override
    public boolean isOver() {
      return false;
    }
  }

  private void schedule(long delaySeconds, String text) {
    clock.schedule(Duration.ofSeconds(delaySeconds).toNanos(), () -> log.add(text));
  }
}
