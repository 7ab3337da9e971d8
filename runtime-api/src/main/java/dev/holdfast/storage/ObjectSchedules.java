package dev.holdfast.storage;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;

/**
 * The named alarms of one object, in addition to its one {@link TransactionalStorage#setAlarm
 * alarm}: an extension of the reference's API. They run the same {@link
 * dev.holdfast.alarm.AlarmHandler}, which receives the name, with the same guarantees and retries,
 * and are written with the turn.
 *
 * <p>A name has 1 to 128 bytes of UTF-8. An object has at most {@value #SCHEDULES_MAX} named
 * alarms. Setting a name again replaces its alarm. When the handler of a recurring schedule has
 * used up its retries, that run is given up and reported, and the schedule continues.
 *
 * <p>Recurring schedules follow the wall clock. If the clock was far ahead for a moment, they
 * continue at the next of their times, within two of these, when it is right again.
 *
 * <p>Only the thread that runs the object's current turn may use it.
 */
public interface ObjectSchedules {

  /** Largest number of named alarms of one object. */
  int SCHEDULES_MAX = 64;

  /**
   * Sets an alarm that fires once.
   *
   * @param name the name
   * @param time when; a time in the past means at once
   * @throws IllegalArgumentException if the name is empty, too long or no text, or the time is not
   *     after 1970-01-01, or is after 2262-04-11
   * @throws dev.holdfast.errors.AlarmException if the object has no handler or too many named
   *     alarms, or its runtime fires no alarms
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  void at(String name, Instant time);

  /**
   * Sets an alarm that fires periodically, the first time one period from now.
   *
   * @param name the name
   * @param period from one time to the next, however long the runs take; at least one second, cut
   *     to the millisecond
   * @param missed what to do about missed runs
   * @throws IllegalArgumentException if the name is empty, too long or no text, or the period is
   *     too short, or ends after 2262-04-11
   * @throws dev.holdfast.errors.AlarmException if the object has no handler or too many named
   *     alarms, or its runtime fires no alarms
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  void every(String name, Duration period, MissedRuns missed);

  /**
   * Sets an alarm that fires at the times of a cron expression. Times in the hour that the start of
   * summer time skips fire once, at the first moment after that hour, and of those in the hour that
   * its end repeats the first ones fire. If the hour field begins with {@code *}, the schedule
   * follows the clock: it also runs in the next hour.
   *
   * @param name the name
   * @param expression five fields as in Unix: minute, hour, day of month, month, day of week; at
   *     most 1,024 characters
   * @param zone the time zone of the expression
   * @param missed what to do about missed runs
   * @throws IllegalArgumentException if the name is empty, too long or no text, or the expression
   *     is malformed or too long, or never matches
   * @throws UnsupportedOperationException if the application does not have {@code
   *     com.cronutils:cron-utils}, which is an optional dependency
   * @throws dev.holdfast.errors.AlarmException if the object has no handler or too many named
   *     alarms, or its runtime fires no alarms
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  void cron(String name, String expression, ZoneId zone, MissedRuns missed);

  /**
   * Deletes a named alarm. If its handler runs, that run continues, is not tried again if it fails
   * after that, and is the last one: a handler may end its own schedule. Like the object's own
   * alarm, an alarm that fires once does not exist while its handler runs.
   *
   * @param name the name
   * @return whether the alarm existed
   * @throws IllegalArgumentException if the name is empty, too long or no text
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  boolean cancel(String name);

  /**
   * Returns when a named alarm fires next.
   *
   * @param name the name
   * @return the time that was set, also between retries; empty if the alarm does not exist or runs
   * @throws IllegalArgumentException if the name is empty, too long or no text
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  Optional<Instant> next(String name);

  /**
   * {@return the names of all alarms that will fire, in order; if a handler runs, its name is among
   * them only if the schedule recurs}
   *
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  List<String> names();
}
