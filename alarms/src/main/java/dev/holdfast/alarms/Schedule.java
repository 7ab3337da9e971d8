package dev.holdfast.alarms;

import com.cronutils.model.Cron;
import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import dev.holdfast.storage.MissedRuns;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How an alarm recurs. Its text is stored with the alarm: {@code every SKIP 60000}, a period in
 * milliseconds, or {@code cron ONCE Europe/Berlin 0 3 * * *}. Immutable.
 */
sealed interface Schedule {

  /** {@return the policy for missed runs} */
  MissedRuns missed();

  /**
   * {@return the first time after another; empty if there is none}
   *
   * @param millis a time; for a schedule with a period, one of its times
   */
  OptionalLong after(long millis);

  /**
   * {@return the last time at or before another, starting from a known one}
   *
   * @param knownMillis a time of the schedule
   * @param nowMillis not before it
   */
  long lastUntil(long knownMillis, long nowMillis);

  /**
   * {@return the first time after now, in step with a later time}
   *
   * @param nowMillis a time
   * @param laterMillis a time of the schedule, after it
   */
  long firstBehind(long nowMillis, long laterMillis);

  /**
   * Reads a text.
   *
   * @throws IllegalArgumentException if it is not a schedule; the message says why
   */
  static Schedule parse(String text) {
    String[] parts = text.split(" ", 4);
    if (parts[0].equals("every") && parts.length == 3) {
      return new Every(MissedRuns.valueOf(parts[1]), Long.parseLong(parts[2]));
    }
    if (parts[0].equals("cron") && parts.length == 4) {
      try {
        return CronTimes.of(MissedRuns.valueOf(parts[1]), parts[2], parts[3]);
      } catch (NoClassDefFoundError e) {
        throw new UnsupportedOperationException(
            "Cron expressions need the library com.cronutils:cron-utils; add it to the application",
            e);
      }
    }
    throw new IllegalArgumentException("Not a schedule: " + text);
  }

  /**
   * Repeats with a fixed period.
   *
   * @param missed the policy for missed runs
   * @param periodMillis the period
   */
  record Every(MissedRuns missed, long periodMillis) implements Schedule {

    public Every {
      if (periodMillis < AlarmBounds.PERIOD_MILLIS_MIN) {
        throw new IllegalArgumentException(
            "The period must be at least a second: " + Duration.ofMillis(periodMillis));
      }
    }

    @Override
    public OptionalLong after(long millis) {
      return millis > Long.MAX_VALUE - periodMillis
          ? OptionalLong.empty()
          : OptionalLong.of(millis + periodMillis);
    }

    @Override
    public long lastUntil(long knownMillis, long nowMillis) {
      return knownMillis + (nowMillis - knownMillis) / periodMillis * periodMillis;
    }

    @Override
    public long firstBehind(long nowMillis, long laterMillis) {
      return laterMillis - (laterMillis - nowMillis - 1) / periodMillis * periodMillis;
    }
  }

  /**
   * The times of a cron expression. Times in a gap of the local clock, the hour that daylight
   * saving time skips, become one run at the first moment after the gap: a nightly job is not
   * skipped. Of times that the local clock has twice, at the end of daylight saving time, the first
   * ones count. As in Unix cron, this does not apply if the hour begins with {@code *}: a job that
   * runs in every hour follows the clock.
   *
   * @param missed the policy for missed runs
   * @param zone the time zone of the expression
   * @param times computes the times
   * @param isHourFixed whether times in a gap are made up, and repeated ones are left out
   */
  record CronTimes(MissedRuns missed, ZoneId zone, ExecutionTime times, boolean isHourFixed)
      implements Schedule {

    private static final CronParser PARSER =
        new CronParser(CronDefinitionBuilder.instanceDefinitionFor(CronType.UNIX));

    static CronTimes of(MissedRuns missed, String zone, String expression) {
      try {
        Cron cron = PARSER.parse(expression).validate();
        String[] fields = expression.strip().split("\\s+", -1);
        boolean isHourFixed = fields.length > 1 && !fields[1].startsWith("*");
        return new CronTimes(missed, ZoneId.of(zone), ExecutionTime.forCron(cron), isHourFixed);
      } catch (DateTimeException e) {
        throw new IllegalArgumentException("No time zone: " + zone, e);
      }
    }

    @Override
    public OptionalLong after(long millis) {
      Optional<ZonedDateTime> found = times.nextExecution(at(millis));
      while (found.filter(this::isRepeated).isPresent()) {
        found = found.flatMap(times::nextExecution);
      }
      if (found.isEmpty()) {
        return OptionalLong.empty();
      }
      Instant next = found.get().toInstant();
      ZoneRules rules = zone.getRules();
      ZoneOffsetTransition change = rules.nextTransition(Instant.ofEpochMilli(millis));
      while (isHourFixed && change != null && change.getInstant().isBefore(next)) {
        if (leavesOutARun(change)) {
          next = change.getInstant();
        }
        change = rules.nextTransition(change.getInstant());
      }
      return OptionalLong.of(next.toEpochMilli());
    }

    /**
     * {@return whether a time is one that the local clock has had before and that does not count}
     */
    private boolean isRepeated(ZonedDateTime time) {
      return isHourFixed && !time.equals(time.withEarlierOffsetAtOverlap());
    }

    /** {@return whether the expression has a time that the local clock skips at this transition} */
    private boolean leavesOutARun(ZoneOffsetTransition change) {
      return change.isGap()
          && times
              .nextExecution(change.getDateTimeBefore().minusSeconds(1).atZone(ZoneOffset.UTC))
              .filter(run -> run.toLocalDateTime().isBefore(change.getDateTimeAfter()))
              .isPresent();
    }

    @Override
    public long lastUntil(long knownMillis, long nowMillis) {
      ZonedDateTime now = at(nowMillis);
      if (times.isMatch(now) && nowMillis % 60_000 == 0 && !isRepeated(now)) {
        return nowMillis;
      }
      Optional<ZonedDateTime> found = times.lastExecution(now);
      while (found.filter(this::isRepeated).isPresent()) {
        found = found.flatMap(times::lastExecution);
      }
      Instant last =
          found
              .map(ZonedDateTime::toInstant)
              .filter(run -> run.toEpochMilli() > knownMillis)
              .orElse(Instant.ofEpochMilli(knownMillis));
      ZoneRules rules = zone.getRules();
      ZoneOffsetTransition change = rules.previousTransition(now.toInstant().plusMillis(1));
      while (isHourFixed && change != null && change.getInstant().isAfter(last)) {
        if (leavesOutARun(change)) {
          last = change.getInstant();
        }
        change = rules.previousTransition(change.getInstant());
      }
      return last.toEpochMilli();
    }

    @Override
    public long firstBehind(long nowMillis, long laterMillis) {
      return after(nowMillis).orElse(laterMillis);
    }

    private ZonedDateTime at(long millis) {
      return Instant.ofEpochMilli(millis).atZone(zone);
    }
  }
}
