package dev.holdfast.archive;

import java.time.Duration;

/**
 * How a runtime archives its journal. Immutable; change with the {@code with} methods.
 *
 * @param store where the archive is; the runtime closes it
 * @param interval how often the durable records are archived: what was acknowledged longer ago is
 *     in the archive if the store keeps up; more than zero
 * @param lateMax the lag from which on health and log report that the archive is late; more than
 *     zero
 * @param lagBytesMax how much of the journal is kept because it is not archived yet; beyond it the
 *     journal drops what it needs no longer, and the archive has a gap; 0 or more
 */
public record ArchiveOptions(
    ArchiveStore store, Duration interval, Duration lateMax, long lagBytesMax) {

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException if a number or a time is out of its range
   */
  public ArchiveOptions {
    requirePositive("interval", interval);
    requirePositive("lateMax", lateMax);
    if (lagBytesMax < 0) {
      throw new IllegalArgumentException("lagBytesMax must not be negative: " + lagBytesMax);
    }
  }

  private static void requirePositive(String name, Duration time) {
    if (time.isZero() || time.isNegative()) {
      throw new IllegalArgumentException(name + " must be more than zero: " + time);
    }
  }

  /**
   * Returns options with defaults: every 5 seconds, late after 60 seconds, at most 4 GiB kept.
   *
   * @param store where the archive is
   * @return the options
   */
  public static ArchiveOptions to(ArchiveStore store) {
    return new ArchiveOptions(store, Duration.ofSeconds(5), Duration.ofSeconds(60), 4L << 30);
  }

  /**
   * {@return these options with another interval}
   *
   * @param time the new interval
   * @throws IllegalArgumentException if it is zero or negative
   */
  public ArchiveOptions withInterval(Duration time) {
    return new ArchiveOptions(store, time, lateMax, lagBytesMax);
  }

  /**
   * {@return these options with another limit for a late archive}
   *
   * @param max the new limit
   * @throws IllegalArgumentException if it is zero or negative
   */
  public ArchiveOptions withLateMax(Duration max) {
    return new ArchiveOptions(store, interval, max, lagBytesMax);
  }

  /**
   * {@return these options with another bound on what is kept for the archive}
   *
   * @param bytes the new bound
   * @throws IllegalArgumentException if it is negative
   */
  public ArchiveOptions withLagBytesMax(long bytes) {
    return new ArchiveOptions(store, interval, lateMax, bytes);
  }
}
