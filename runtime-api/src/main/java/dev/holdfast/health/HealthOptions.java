package dev.holdfast.health;

import java.time.Duration;

/**
 * When a runtime reports that something needs attention. Immutable; change with the {@code with}
 * methods.
 *
 * @param diskFreeShareMin the share of the disk that should be free, from 0 to less than 1; the
 *     disk is nearly full below it
 * @param diskFreeBytesMin the bytes that should be free, 0 or more; the disk is nearly full below
 *     it
 * @param journalStalledMax how long the journal may make nothing durable while writes wait; more
 *     than zero
 * @param alarmsLateMax how long an alarm may be due before its handler starts; more than zero
 * @param saveLateMax how long a requested save of an object's file may wait or run; more than zero
 * @param executionMax how long a call, an alarm or a timer may run, waits included, and a turn of a
 *     task; more than zero
 */
public record HealthOptions(
    double diskFreeShareMin,
    long diskFreeBytesMin,
    Duration journalStalledMax,
    Duration alarmsLateMax,
    Duration saveLateMax,
    Duration executionMax) {

  /**
   * At least 10 % and 1 GiB of the disk free, a journal that stalls for at most 5 seconds, alarms
   * and saves at most 60 seconds late, executions of at most 5 minutes.
   */
  public static final HealthOptions DEFAULT =
      new HealthOptions(
          0.1,
          1L << 30,
          Duration.ofSeconds(5),
          Duration.ofSeconds(60),
          Duration.ofSeconds(60),
          Duration.ofMinutes(5));

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException if a number or a time is out of its range
   */
  public HealthOptions {
    if (!(diskFreeShareMin >= 0 && diskFreeShareMin < 1)) {
      throw new IllegalArgumentException(
          "diskFreeShareMin must be from 0 to less than 1: " + diskFreeShareMin);
    }
    if (diskFreeBytesMin < 0) {
      throw new IllegalArgumentException(
          "diskFreeBytesMin must not be negative: " + diskFreeBytesMin);
    }
    requirePositive("journalStalledMax", journalStalledMax);
    requirePositive("alarmsLateMax", alarmsLateMax);
    requirePositive("saveLateMax", saveLateMax);
    requirePositive("executionMax", executionMax);
  }

  private static void requirePositive(String name, Duration time) {
    if (time.isZero() || time.isNegative()) {
      throw new IllegalArgumentException(name + " must be more than zero: " + time);
    }
  }

  /**
   * {@return these options with another minimum of free disk space}
   *
   * @param share the share that should be free, from 0 to less than 1
   * @param bytes the bytes that should be free
   * @throws IllegalArgumentException if a number is out of its range
   */
  public HealthOptions withDiskFreeMin(double share, long bytes) {
    return new HealthOptions(
        share, bytes, journalStalledMax, alarmsLateMax, saveLateMax, executionMax);
  }

  /**
   * {@return these options with another limit for a journal that stalls}
   *
   * @param max the new limit
   * @throws IllegalArgumentException if the limit is zero or negative
   */
  public HealthOptions withJournalStalledMax(Duration max) {
    return new HealthOptions(
        diskFreeShareMin, diskFreeBytesMin, max, alarmsLateMax, saveLateMax, executionMax);
  }

  /**
   * {@return these options with another limit for late alarms}
   *
   * @param max the new limit
   * @throws IllegalArgumentException if the limit is zero or negative
   */
  public HealthOptions withAlarmsLateMax(Duration max) {
    return new HealthOptions(
        diskFreeShareMin, diskFreeBytesMin, journalStalledMax, max, saveLateMax, executionMax);
  }

  /**
   * {@return these options with another limit for late saves}
   *
   * @param max the new limit
   * @throws IllegalArgumentException if the limit is zero or negative
   */
  public HealthOptions withSaveLateMax(Duration max) {
    return new HealthOptions(
        diskFreeShareMin, diskFreeBytesMin, journalStalledMax, alarmsLateMax, max, executionMax);
  }

  /**
   * {@return these options with another limit for executions}
   *
   * @param max the new limit
   * @throws IllegalArgumentException if the limit is zero or negative
   */
  public HealthOptions withExecutionMax(Duration max) {
    return new HealthOptions(
        diskFreeShareMin, diskFreeBytesMin, journalStalledMax, alarmsLateMax, saveLateMax, max);
  }
}
