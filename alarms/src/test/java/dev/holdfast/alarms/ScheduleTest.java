package dev.holdfast.alarms;

import static dev.holdfast.alarms.AlarmHost.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.errors.AlarmException;
import dev.holdfast.storage.MissedRuns;
import dev.holdfast.storage.ObjectSchedules;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Named alarms and recurring schedules. */
final class ScheduleTest {

  private final AlarmHost host = new AlarmHost();

  @AfterEach
  void close() {
    host.close();
  }

  @Test
  void namedAlarmsFireBesideTheObjectsOwn() {
    host.set("a", 30);
    schedule(
        schedules -> {
          schedules.at("x", at(20));
          schedules.at("y", at(40));
          schedules.at("z", at(50));
          assertThat(schedules.cancel("z")).isTrue();
          assertThat(schedules.cancel("z")).isFalse();
          assertThat(schedules.names()).containsExactly("x", "y");
          assertThat(schedules.next("y")).contains(at(40));
        });
    host.advance(100);
    assertThat(host.takeFired()).containsExactly("a:x@20", "a@30", "a:y@40");
  }

  @Test
  void periodRunsFromTimeToTimeAcrossRestarts() {
    schedule(schedules -> schedules.every("tick", Duration.ofSeconds(60), MissedRuns.SKIP));
    host.advance(150);
    host.crash();
    host.advance(60);
    assertThat(host.takeFired()).containsExactly("a:tick@60", "a:tick@120", "a:tick@180");
  }

  @Test
  void cronFollowsTheWallClockOfItsZone() {
    // 2026-03-29: in Berlin the clock goes from 2:00 to 3:00.
    schedule(
        schedules ->
            schedules.cron("dawn", "30 5 * * *", ZoneId.of("Europe/Berlin"), MissedRuns.SKIP));
    host.clock.setWallClock(java.time.Instant.parse("2026-03-27T12:00:00Z"));
    host.advance(10);
    host.takeFired();
    host.clock.advance(Duration.ofDays(3));
    assertThat(
            host.takeFired().stream()
                .map(text -> at(Long.parseLong(text.substring("a:dawn@".length()))).toString()))
        .containsExactly("2026-03-28T04:30:00Z", "2026-03-29T03:30:00Z", "2026-03-30T03:30:00Z");
  }

  @Test
  void missedRunsAreSkippedMadeUpForOrAllRun() {
    schedule(
        schedules -> {
          schedules.every("all", Duration.ofSeconds(600), MissedRuns.ALL);
          schedules.every("once", Duration.ofSeconds(600), MissedRuns.ONCE);
          schedules.every("skip", Duration.ofSeconds(600), MissedRuns.SKIP);
        });
    host.downFor(2_100);
    host.advance(300);
    assertThat(host.takeFired())
        .containsExactlyInAnyOrder(
            "a:all@600",
            "a:all@1200",
            "a:all@1800",
            "a:once@1800",
            "a:all@2400",
            "a:once@2400",
            "a:skip@2400");
  }

  @Test
  void recurringRunThatKeepsFailingIsGivenUpAndTheScheduleGoesOn() {
    host.handler =
        (_, info) -> {
          if (info.scheduledTime().equals(at(600))) {
            throw new IllegalStateException("no");
          }
        };
    schedule(schedules -> schedules.every("tick", Duration.ofSeconds(600), MissedRuns.SKIP));
    host.advance(1_300);
    assertThat(host.takeFired()).hasSize(8).endsWith("a:tick@600#6", "a:tick@1200");
    assertThat(host.events).last().isEqualTo("abandoned a#0");
  }

  /** 2026-03-29: in Berlin the clock goes from 2:00 to 3:00, at 1:00 of UTC. */
  @Test
  void cronTimesInTheHourThatSummerTimeLeavesOutAreOneRunAfterIt() {
    for (String cron : List.of("30 2 * * *", "*/20 2 * * *", "0 2 29 3 *", "30 2-23/2 29 * *")) {
      Schedule schedule = Schedule.parse("cron ONCE Europe/Berlin " + cron);
      long before = millis("2026-03-29T00:00:00Z");
      long gap = millis("2026-03-29T01:00:00Z");
      assertThat(schedule.after(before)).as(cron).hasValue(gap);
      assertThat(schedule.after(gap).orElseThrow()).as(cron).isGreaterThan(gap);
      for (long now : List.of(gap, gap + 60_000)) {
        assertThat(schedule.lastUntil(before, now)).as(cron).isEqualTo(gap);
      }
      assertThat(schedule.lastUntil(before, gap - 1)).as(cron).isEqualTo(before);
    }
  }

  @Test
  void cronTimesOfEveryHourFollowTheClockThroughSummerTime() {
    for (String cron : List.of("30 * * * *", "30 */2 * * *", "30 3 * * *", "0 3 * * *")) {
      Schedule schedule = Schedule.parse("cron ONCE Europe/Berlin " + cron);
      long next = schedule.after(millis("2026-03-29T00:45:00Z")).orElseThrow();
      String expected =
          switch (cron) {
            case "30 */2 * * *" -> "2026-03-29T02:30:00Z";
            case "0 3 * * *" -> "2026-03-29T01:00:00Z";
            default -> "2026-03-29T01:30:00Z";
          };
      assertThat(next).as(cron).isEqualTo(millis(expected));
    }
  }

  @Test
  void cronTimesInTheHourThatTheClockRepeatsAreTheFirstOnes() {
    long evening = millis("2026-10-24T20:00:00Z");
    long first = millis("2026-10-25T00:30:00Z");
    long end = millis("2026-10-25T02:00:00Z");
    for (String cron : List.of("30 2 * * *", "30,31 2 * * *", "30 2,4 * * *")) {
      Schedule schedule = Schedule.parse("cron ONCE Europe/Berlin " + cron);
      List<Long> times = new ArrayList<>();
      for (long time = schedule.after(evening).orElseThrow();
          time < end;
          time = schedule.after(time).orElseThrow()) {
        times.add(time);
      }
      assertThat(times.getFirst()).as(cron).isEqualTo(first);
      assertThat(times.getLast()).as(cron).isLessThan(first + 120_000);
      for (long now : List.of(first + 3_600_000, first + 3_630_000, end)) {
        assertThat(schedule.lastUntil(evening - 86_400_000, now))
            .as(cron)
            .isEqualTo(times.getLast());
      }
    }
    Schedule hourly = Schedule.parse("cron ONCE Europe/Berlin 30 * * * *");
    assertThat(hourly.after(first)).hasValue(first + 3_600_000);
  }

  private static long millis(String time) {
    return Instant.parse(time).toEpochMilli();
  }

  @Test
  void handlerThatCancelsItsScheduleEndsIt() {
    AtomicReference<@Nullable Object> told = new AtomicReference<>();
    host.handler =
        (context, _) -> {
          ObjectSchedules schedules = context.storage().schedules();
          told.set(
              List.of(
                  schedules.names(),
                  schedules.cancel("tick"),
                  schedules.cancel("tick"),
                  schedules.names()));
        };
    everyMinute();
    host.advance(400);
    assertThat(host.takeFired()).containsExactly("a:tick@60");
    assertThat(told).hasValue(List.of(List.of("tick"), true, false, List.of()));
  }

  /** Like the object's own alarm, to which the rule of the reference applies. */
  @Test
  void alarmThatFiresOnceIsNotSeenByItsHandlerAndEndsWhenThatCancelsIt() {
    AtomicReference<@Nullable Object> told = new AtomicReference<>();
    host.handler =
        (context, _) -> {
          told.set(context.storage().schedules().cancel("x"));
          throw new IllegalStateException("not tried again");
        };
    schedule(schedules -> schedules.at("x", at(60)));
    host.advance(400);
    assertThat(host.takeFired()).containsExactly("a:x@60");
    assertThat(told).hasValue(false);
  }

  @Test
  void scheduleThatIsCancelledWhileItsHandlerWaitsEnds() {
    CompletableFuture<Object> later = new CompletableFuture<>();
    host.handler = (context, _) -> context.await(later);
    everyMinute();
    host.advance(60);
    assertThat(host.call("a", context -> context.storage().schedules().cancel("tick")))
        .isEqualTo(true);
    later.complete("x");
    // The next turn of the object comes after the handler's last one, which waits for its batch.
    host.call("a", _ -> null);
    host.advance(400);
    assertThat(host.takeFired()).containsExactly("a:tick@60");
  }

  @Test
  void cancellationThatIsRolledBackLeavesTheSchedule() {
    host.handler =
        (context, _) ->
            context
                .storage()
                .transaction(
                    transaction -> {
                      context.storage().schedules().cancel("tick");
                      transaction.rollback();
                      return null;
                    });
    everyMinute();
    host.advance(150);
    assertThat(host.takeFired()).containsExactly("a:tick@60", "a:tick@120");
  }

  @Test
  void runThatHasCancelledItsScheduleIsTheLastAlsoWhenItFails() {
    host.handler =
        (context, _) -> {
          context.storage().schedules().cancel("tick");
          throw new IllegalStateException("no");
        };
    everyMinute();
    host.advance(400);
    assertThat(host.takeFired()).containsExactly("a:tick@60");
  }

  @Test
  void runThatHasCancelledItsScheduleIsTheLastAlsoWhenItIsReset() {
    host.handler =
        (context, _) -> {
          context.storage().schedules().cancel("tick");
          context.storage().sync();
          context.abort("no");
        };
    everyMinute();
    host.advance(400);
    assertThat(host.takeFired()).containsExactly("a:tick@60");
  }

  private void everyMinute() {
    schedule(schedules -> schedules.every("tick", Duration.ofSeconds(60), MissedRuns.SKIP));
  }

  @Test
  void limitsAndMistakesAreRefused() {
    schedule(
        schedules -> {
          for (String name : List.of("", "x".repeat(129))) {
            assertThatIllegalArgumentException().isThrownBy(() -> schedules.at(name, at(1)));
          }
          assertThatIllegalArgumentException()
              .isThrownBy(() -> schedules.every("x", Duration.ofMillis(999), MissedRuns.SKIP));
          for (int number = 0; number < ObjectSchedules.SCHEDULES_MAX; number++) {
            schedules.at("n" + number, at(1_000));
          }
          schedules.at("n1", at(2_000));
          assertThatExceptionOfType(AlarmException.class)
              .isThrownBy(() -> schedules.at("one more", at(1)));
        });
  }

  @Test
  void timesThatDoNotFitAreRefused() {
    schedule(
        schedules -> {
          for (Duration period :
              List.of(
                  ChronoUnit.FOREVER.getDuration(),
                  Duration.ofMillis(Long.MAX_VALUE),
                  Duration.ofDays(300 * 366),
                  Duration.ofDays(250 * 366),
                  Duration.ZERO,
                  Duration.ofSeconds(Long.MIN_VALUE))) {
            assertThatIllegalArgumentException()
                .isThrownBy(() -> schedules.every("x", period, MissedRuns.ALL));
          }
          for (Instant time : List.of(Instant.MIN, Instant.EPOCH, Instant.MAX)) {
            assertThatIllegalArgumentException().isThrownBy(() -> schedules.at("x", time));
          }
          assertThatIllegalArgumentException()
              .isThrownBy(
                  () ->
                      schedules.cron(
                          "x", "0,".repeat(600) + "0 * * * *", ZoneOffset.UTC, MissedRuns.SKIP))
              .withMessageContaining("1024");
          assertThat(schedules.names()).isEmpty();
          schedules.every("century", Duration.ofDays(36_525), MissedRuns.ALL);
        });
    host.advance(1);
    assertThat(host.takeFired()).isEmpty();
  }

  @Test
  void wrongCronExpressionsAreRefused() {
    schedule(
        schedules -> {
          for (String cron : List.of("", "* * * *", "61 * * * *", "0 0 30 2 *")) {
            assertThatIllegalArgumentException()
                .isThrownBy(() -> schedules.cron("x", cron, ZoneOffset.UTC, MissedRuns.SKIP));
          }
        });
  }

  private void schedule(Consumer<ObjectSchedules> code) {
    host.call(
        "a",
        context -> {
          code.accept(context.storage().schedules());
          return null;
        });
  }
}
