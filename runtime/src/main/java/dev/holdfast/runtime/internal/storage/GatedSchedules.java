package dev.holdfast.runtime.internal.storage;

import dev.holdfast.runtime.internal.RuntimeBounds;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.AlarmService;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.storage.MissedRuns;
import dev.holdfast.storage.ObjectSchedules;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The named alarms of an object. Confined to the object's turn. */
final class GatedSchedules implements ObjectSchedules {

  private final ObjectAlarms alarms;

  GatedSchedules(ObjectAlarms alarms) {
    this.alarms = alarms;
  }

  @Override
  public void at(String name, Instant time) {
    alarms.turns().check();
    checkName(name);
    alarms.check("schedules().at");
    set(AlarmRecord.once(name, alarms.millis(time)));
  }

  @Override
  public void every(String name, Duration period, MissedRuns missed) {
    alarms.turns().check();
    checkName(name);
    if (period.compareTo(RuntimeBounds.PERIOD_END) >= 0) {
      throw new IllegalArgumentException(
          "The period must end before 2262; to fire once, or never, set no period: " + period);
    }
    AlarmService service = alarms.check("schedules().every");
    long millis = period.isNegative() ? 0 : period.toMillis();
    set(alarms.first(service, name, "every " + missed + " " + millis));
  }

  @Override
  public void cron(String name, String expression, ZoneId zone, MissedRuns missed) {
    alarms.turns().check();
    checkName(name);
    checkExpression(expression);
    AlarmService service = alarms.check("schedules().cron");
    String schedule = "cron " + missed + " " + zone.getId() + " " + expression.strip();
    set(alarms.first(service, name, schedule));
  }

  private void set(AlarmRecord alarm) {
    List<AlarmRecord> present = alarms.onStore(StoreTurn::alarms);
    long others =
        present.stream()
            .filter(each -> !each.name().isEmpty() && !each.name().equals(alarm.name()))
            .count();
    if (others >= SCHEDULES_MAX) {
      throw alarms.refusal(
          "The object has " + SCHEDULES_MAX + " named alarms, which is the limit; cancel some.");
    }
    AlarmRecord kept = alarms.withKept(alarm);
    alarms.turns().work().confirmWrites();
    alarms.onStore(
        turn -> {
          alarms.set(turn, kept);
          return Boolean.TRUE;
        });
  }

  @Override
  public boolean cancel(String name) {
    alarms.turns().check();
    checkName(name);
    alarms.turns().work().confirmWrites();
    return alarms.onStore(turn -> alarms.delete(turn, name));
  }

  @Override
  public Optional<Instant> next(String name) {
    alarms.turns().check();
    checkName(name);
    return alarms.onStore(turn -> alarms.get(turn, name));
  }

  @Override
  public List<String> names() {
    alarms.turns().check();
    return alarms.onStore(alarms::names);
  }

  private static void checkExpression(String expression) {
    if (expression.length() > RuntimeBounds.CRON_EXPRESSION_LENGTH_MAX) {
      throw new IllegalArgumentException(
          "A cron expression has at most "
              + RuntimeBounds.CRON_EXPRESSION_LENGTH_MAX
              + " characters, not "
              + expression.length());
    }
  }

  /**
   * Checks named alarms that come from outside, such as a file.
   *
   * @param service checks schedules; null if the runtime fires no alarms
   * @throws IllegalArgumentException if {@link #set} could not have made them
   */
  static void requireLegal(
      List<AlarmRecord> named, @Nullable AlarmService service, long nowMillis) {
    if (named.size() > SCHEDULES_MAX) {
      throw new IllegalArgumentException(
          named.size() + " named alarms, and " + SCHEDULES_MAX + " is the limit");
    }
    for (AlarmRecord alarm : named) {
      checkName(alarm.name());
      if (alarm.schedule().length() > RuntimeBounds.SCHEDULE_LENGTH_MAX) {
        throw new IllegalArgumentException(
            "A schedule has at most "
                + RuntimeBounds.SCHEDULE_LENGTH_MAX
                + " characters, not "
                + alarm.schedule().length());
      }
      if (service != null && !alarm.schedule().isEmpty()) {
        service.first(alarm.name(), alarm.schedule(), nowMillis);
      }
    }
  }

  private static void checkName(String name) {
    int bytes = NameText.encode("The name of a schedule", name).length;
    if (bytes < 1 || bytes > RuntimeBounds.SCHEDULE_NAME_BYTES_MAX) {
      throw new IllegalArgumentException(
          "The name of a schedule has 1 to "
              + RuntimeBounds.SCHEDULE_NAME_BYTES_MAX
              + " bytes of UTF-8, not "
              + bytes);
    }
  }
}
