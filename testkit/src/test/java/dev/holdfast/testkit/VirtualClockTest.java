package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.holdfast.spi.TimeSource.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class VirtualClockTest {

  private static final long NANOS_OF_A_SECOND = 1_000_000_000;

  private static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");

  private final VirtualClock clock = new VirtualClock(NOON);
  private final List<String> log = new ArrayList<>();

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
    abandoned.scheduleEndOfWait(
        2 * NANOS_OF_A_SECOND, () -> ended.complete(abandoned.monotonicNanos()));

    assertThat(ended.join()).isEqualTo(2 * NANOS_OF_A_SECOND);
    assertThat(log).isEmpty();
    abandoned.advance(Duration.ZERO);
    assertThat(log).containsExactly("other");
  }

  @Test
  void endOfAWaitIsATimerLikeOthersWhileSomebodyMovesTheClock() {
    Timer cancelled = clock.scheduleEndOfWait(NANOS_OF_A_SECOND, () -> log.add("cancelled"));
    clock.scheduleEndOfWait(NANOS_OF_A_SECOND, () -> log.add("ended"));

    assertThat(cancelled.cancel()).isTrue();
    clock.advance(Duration.ofSeconds(1));

    assertThat(log).containsExactly("ended");
    assertThat(clock.pendingTimers()).isZero();
  }

  private void schedule(long delaySeconds, String text) {
    clock.schedule(Duration.ofSeconds(delaySeconds).toNanos(), () -> log.add(text));
  }
}
