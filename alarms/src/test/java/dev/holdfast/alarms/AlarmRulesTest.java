package dev.holdfast.alarms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.alarm.AlarmPolicy;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.AlarmRecord.State;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Alarms that were set by a clock with another time than the present one. */
final class AlarmRulesTest {

  private static final List<String> SCHEDULES =
      List.of(
          "every SKIP 1000",
          "every ALL 86400000",
          "every ONCE 7777",
          "cron SKIP Europe/Berlin * * * * *",
          "cron SKIP Europe/Berlin 30 2 * * *",
          "cron ONCE UTC 0 9 * * 1-5",
          "cron ONCE UTC 0 0 29 2 *");

  private final AlarmRules rules = new AlarmRules(new SplittableRandom(1));
  private final Random random = new Random(1);

  private long anyTime() {
    return Instant.parse("2026-01-01T00:00:00Z").toEpochMilli()
        + random.nextLong(Duration.ofDays(3_650).toMillis());
  }

  private AlarmRecord reckon(AlarmRecord alarm, long nowMillis) {
    return rules.reckon(alarm, AlarmPolicy.DEFAULT, nowMillis);
  }

  @Test
  void periodsBelowASecondAreRefused() {
    for (String schedule : List.of("every ALL 1", "every SKIP 999")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> rules.first("x", schedule, 0))
          .withMessageContaining("at least a second");
    }
  }

  @Test
  void whatTheSameClockHasSetStays() {
    for (String schedule : SCHEDULES) {
      for (int attempt = 0; attempt < 200; attempt++) {
        long now = anyTime();
        AlarmRecord first = rules.first("x", schedule, now);
        assertThat(reckon(first, now)).isEqualTo(first);
        long late = first.dueMillis() + random.nextInt(1_000_000);
        AlarmRecord fired = rules.admit(first, late);
        AlarmRecord next = Objects.requireNonNull(rules.afterRun(fired, late));
        assertThat(reckon(next, late)).isEqualTo(next);
        for (int count = 0; count < 7; count++) {
          fired = rules.afterFailure(fired, /* retry= */ true, AlarmPolicy.DEFAULT, late);
          assertThat(reckon(fired, late)).isEqualTo(fired);
        }
      }
    }
  }

  @Test
  void scheduleOfAClockThatWasAheadHasItsNextTimeAndNoneStandsForMoreThanTwo() {
    for (String schedule : SCHEDULES) {
      Schedule times = Schedule.parse(schedule);
      for (int attempt = 0; attempt < 200; attempt++) {
        long now = anyTime();
        AlarmRecord ahead = rules.first("x", schedule, now + random.nextInt());
        AlarmRecord reckoned = reckon(ahead, now);
        long next = times.after(now).orElseThrow();
        if (reckoned.equals(ahead)) {
          assertThat(ahead.dueMillis()).isLessThanOrEqualTo(times.after(next).orElseThrow());
        } else {
          assertThat(reckoned.dueMillis()).isGreaterThan(now).isLessThanOrEqualTo(next);
          assertThat(reckoned.scheduledMillis()).isEqualTo(reckoned.dueMillis());
          assertThat(reckon(reckoned, now)).isEqualTo(reckoned);
        }
      }
    }
  }

  @Test
  void alarmThatFiresOnceStaysAlsoWhenItWasGivenUp() {
    long now = anyTime();
    AlarmRecord far = AlarmRecord.once("", now + Duration.ofDays(36_500).toMillis());
    assertThat(reckon(far, now)).isEqualTo(far);
    AlarmRecord abandoned =
        new AlarmRecord("", State.ABANDONED, far.dueMillis(), now, 7, "every SKIP 1000");
    assertThat(reckon(abandoned, now)).isEqualTo(abandoned);
  }

  @Test
  void scheduleThatCannotBeReadIsLeftToItsRun() {
    AlarmRecord unreadable = new AlarmRecord("x", State.PENDING, 9_000, 9_000, 0, "sometimes");
    assertThat(rules.standsStill(unreadable, AlarmPolicy.DEFAULT, 1)).isFalse();
  }
}
