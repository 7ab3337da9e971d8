package dev.holdfast.alarms;

import static dev.holdfast.alarms.AlarmHost.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.storage.MissedRuns;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Alarms when the clock is years ahead for a moment, and right again afterwards. */
final class AlarmClockFaultTest {

  private static final Duration FAR = Duration.ofDays(3_650);

  private final AlarmHost host = new AlarmHost();

  @AfterEach
  void close() {
    host.close();
  }

  /** Sets the clock ahead, long enough for the alarms that are then due to run. */
  private void beAheadForAMoment() {
    host.clock.setWallClock(host.clock.now().plus(FAR));
    host.advance(11);
  }

  private void beRight() {
    host.clock.setWallClock(host.clock.now().minus(FAR));
  }

  private void every(String object, Duration period, MissedRuns missed) {
    host.call(
        object,
        context -> {
          context.storage().schedules().every("tick", period, missed);
          return null;
        });
  }

  private void everyMinute(String object) {
    every(object, Duration.ofMinutes(1), MissedRuns.SKIP);
  }

  @ParameterizedTest
  @EnumSource(MissedRuns.class)
  void scheduleGoesOnInItsRhythm(MissedRuns missed) {
    every("a", Duration.ofDays(1), missed);
    host.clock.advance(Duration.ofDays(1));
    beAheadForAMoment();
    beRight();
    host.takeFired();
    host.clock.advance(Duration.ofDays(4));
    long day = Duration.ofDays(1).toSeconds();
    assertThat(host.takeFired())
        .containsExactly(
            "a:tick@" + 2 * day, "a:tick@" + 3 * day, "a:tick@" + 4 * day, "a:tick@" + 5 * day);
  }

  @Test
  void cronGoesOnAtItsTimes() {
    host.call(
        "a",
        context -> {
          context
              .storage()
              .schedules()
              .cron("tick", "*/5 * * * *", ZoneOffset.UTC, MissedRuns.ONCE);
          return null;
        });
    host.advance(320);
    beAheadForAMoment();
    beRight();
    host.takeFired();
    host.advance(900);
    assertThat(host.takeFired()).containsExactly("a:tick@600", "a:tick@900", "a:tick@1200");
  }

  @Test
  void scheduleThatWasSetByTheWrongClockRunsByTheRightOne() {
    beAheadForAMoment();
    everyMinute("a");
    beRight();
    host.advance(200);
    assertThat(host.takeFired()).hasSizeBetween(2, 4).noneMatch(text -> text.endsWith("early"));
  }

  @Test
  void scheduleGoesOnThoughTheClockWasPutRightWhileTheRuntimeWasClosed() {
    everyMinute("a");
    host.advance(90);
    beAheadForAMoment();
    assertThat(host.takeFired()).hasSize(2);
    host.crash(this::beRight);
    host.advance(200);
    assertThat(host.takeFired()).hasSizeBetween(2, 4);
  }

  @Test
  void scheduleGoesOnThoughMoreAlarmsThanFitInMemoryAreBeforeIt() {
    every("a", Duration.ofDays(1), MissedRuns.SKIP);
    long second = FAR.plusHours(12).toSeconds();
    for (int number = 0; number < 9_000; number++) {
      host.set("n" + number, second);
    }
    beAheadForAMoment();
    beRight();
    host.takeFired();
    host.clock.advance(Duration.ofDays(3));
    assertThat(host.takeFired()).hasSize(3);
    assertThat(host.get("n7")).contains(second);
  }

  @Test
  void scheduleGoesOnWhoseHandlerRanWhileTheClockWasPutRight() {
    CompletableFuture<Object> later = new CompletableFuture<>();
    host.handler = (context, _) -> context.await(later);
    everyMinute("a");
    beAheadForAMoment();
    beRight();
    host.advance(60);
    later.complete("x");
    host.call("a", _ -> null);
    host.takeFired();
    host.advance(200);
    assertThat(host.takeFired()).hasSizeBetween(2, 4);
  }

  /** A turn may begin under the wrong clock and end after the right one was detected. */
  @Test
  void scheduleThatWasSetByATurnThatBeganUnderTheWrongClockGoesOnWithinAnHour() {
    beAheadForAMoment();
    host.call(
        "a",
        context -> {
          context.storage().schedules().every("tick", Duration.ofMinutes(1), MissedRuns.SKIP);
          beRight();
          host.advance(100);
          return null;
        });
    host.clock.advance(Duration.ofMinutes(63));
    assertThat(host.takeFired()).hasSizeGreaterThan(1);
  }

  @Test
  void clockThatIsSetBackByLessThanAPeriodRunsNoTimeAgain() {
    everyMinute("a");
    host.advance(130);
    host.clock.setWallClock(at(90));
    host.advance(200);
    assertThat(host.takeFired())
        .containsExactly("a:tick@60", "a:tick@120", "a:tick@180", "a:tick@240");
  }

  @Test
  void alarmsThatFireOnceKeepTheirTimes() {
    host.set("a", FAR.multipliedBy(2).toSeconds());
    host.set("b", 300);
    host.call(
        "c",
        context -> {
          context.storage().schedules().at("x", at(400));
          return null;
        });
    host.clock.setWallClock(at(0).plus(FAR));
    host.clock.setWallClock(at(0));
    host.advance(290);
    assertThat(host.takeFired()).isEmpty();
    host.advance(200);
    assertThat(host.takeFired()).containsExactly("b@300", "c:x@400");
    assertThat(host.get("a")).contains(FAR.multipliedBy(2).toSeconds());
  }

  @Test
  void retryOfAnAlarmThatFailedUnderTheWrongClockComesSoon() {
    AtomicBoolean fails = new AtomicBoolean(true);
    host.handler =
        (_, _) -> {
          if (fails.get()) {
            throw new IllegalStateException("told to fail");
          }
        };
    host.set("a", 20);
    host.set("b", FAR.toSeconds());
    host.advance(10);
    beAheadForAMoment();
    assertThat(host.takeFired()).contains("a@20", "b@" + FAR.toSeconds());
    beRight();
    fails.set(false);
    host.advance(200);
    // The other one was run by the wrong clock; its own time is in the future.
    assertThat(host.takeFired()).singleElement().asString().startsWith("a@20#");
    assertThat(host.get("b")).contains(FAR.toSeconds());
    Instant farAhead = at(0).plus(FAR);
    host.clock.setWallClock(farAhead);
    host.advance(11);
    assertThat(List.copyOf(host.takeFired())).singleElement().asString().startsWith("b@");
  }
}
