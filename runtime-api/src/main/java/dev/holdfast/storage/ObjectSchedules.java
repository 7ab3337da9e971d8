package dev.holdfast.storage;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;

/**
 * Named alarms of one object, beside its one {@link TransactionalStorage#setAlarm alarm}: an
 * extension of the reference's API. They fire through the same {@link dev.holdfast.AlarmHandler},
 * which is told the name, with the same guarantees and retries, and are written with the turn like
 * everything else.
 *
 * <p>A name is 1 to 128 bytes of UTF-8; an object has at most {@value #SCHEDULES_MAX} of them.
 * Setting a name again replaces what it had. When a handler of a recurring schedule has used up its
 * retries, that run is given up and reported, and the schedule goes on.
 *
 * <p>Recurring schedules go by the clock as it is: if it was far ahead for a moment, they go on at
 * the next of their times, within two of these, when it is right again.
 *
 * <p>Threads and errors as for {@link ObjectStorage}, and {@link dev.holdfast.AlarmException} when
 * the object has no handler or too many schedules.
 */
public interface ObjectSchedules {

  /** Most named alarms of one object. */
  int SCHEDULES_MAX = 64;

  /**
   * Fires once.
   *
   * @param name which alarm
   * @param time when; a time in the past means at once
   * @throws IllegalArgumentException if the time is not after 1970-01-01, or after 2262-04-11
   */
  void at(String name, Instant time);

  /**
   * Fires again and again, the first time one period from now.
   *
   * @param name which alarm
   * @param period from one time to the next, whatever the runs take; at least one second; parts of
   *     a millisecond are cut
   * @param missed what to do about missed runs
   * @throws IllegalArgumentException if the period is too short, or ends after 2188
   */
  void every(String name, Duration period, MissedRuns missed);

  /**
   * Fires at the times of a cron expression. For times in the hour that summer time leaves out it
   * fires once, at the first moment after that hour; unless the field of the hour begins with
   * {@code *}, as what runs in every hour needs nothing made up for.
   *
   * @param name which alarm
   * @param expression five fields as in Unix: minute, hour, day of month, month, day of week; at
   *     most 1,024 characters
   * @param zone where the times are meant
   * @param missed what to do about missed runs
   * @throws IllegalArgumentException if the expression is none or too long, or never comes true
   * @throws UnsupportedOperationException if the application does not have {@code
   *     com.cronutils:cron-utils}, which is an optional dependency
   */
  void cron(String name, String expression, ZoneId zone, MissedRuns missed);

  /**
   * Deletes a named alarm. A run of its handler goes on, is not tried again if it fails after that,
   * and is the last one: so a handler may end its own schedule. Like the object's own alarm, one
   * that fires once is not seen while its handler runs.
   *
   * @param name which alarm
   * @return whether there was one
   */
  boolean cancel(String name);

  /**
   * Returns when a named alarm is going to fire.
   *
   * @param name which alarm
   * @return the time it is set to, also between retries; empty if there is none, or it is running
   */
  Optional<Instant> next(String name);

  /**
   * {@return the names of all alarms that are going to fire, in order; of those whose handler runs
   * the recurring ones}
   */
  List<String> names();
}
