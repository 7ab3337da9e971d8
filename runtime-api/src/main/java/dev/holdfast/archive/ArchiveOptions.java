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
 *     journal drops what it needs no longer, and the archive begins again with a base image; 0 or
 *     more
 * @param baseBytes how much of the journal is archived before the next base image is made, if that
 *     is also more than the size of the last one: what a restore has to redo is less than both
 *     together; more than 0
 * @param retention how far back every moment stays restorable; more than zero, {@link #FOREVER} if
 *     nothing is ever deleted
 * @param basesMax how many base images stay: moments before the oldest one are deleted; at least 1
 */
public record ArchiveOptions(
    ArchiveStore store,
    Duration interval,
    Duration lateMax,
    long lagBytesMax,
    long baseBytes,
    Duration retention,
    int basesMax) {

  /** A retention without an end. */
  public static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException if a number or a time is out of its range
   */
  public ArchiveOptions {
    requirePositive("interval", interval);
    requirePositive("lateMax", lateMax);
    requirePositive("retention", retention);
    if (lagBytesMax < 0) {
      throw new IllegalArgumentException("lagBytesMax must not be negative: " + lagBytesMax);
    }
    if (baseBytes < 1) {
      throw new IllegalArgumentException("baseBytes must be at least 1: " + baseBytes);
    }
    if (basesMax < 1) {
      throw new IllegalArgumentException("basesMax must be at least 1: " + basesMax);
    }
  }

  private static void requirePositive(String name, Duration time) {
    if (time.isZero() || time.isNegative()) {
      throw new IllegalArgumentException(name + " must be more than zero: " + time);
    }
  }

  /**
   * Returns options with defaults: every 5 seconds, late after 60 seconds, at most 4 GiB kept, a
   * base image after each GiB, and nothing is ever deleted.
   *
   * @param store where the archive is
   * @return the options
   */
  public static ArchiveOptions to(ArchiveStore store) {
    return new ArchiveOptions(
        store,
        Duration.ofSeconds(5),
        Duration.ofSeconds(60),
        4L << 30,
        1L << 30,
        FOREVER,
        Integer.MAX_VALUE);
  }

  /**
   * {@return these options with another interval}
   *
   * @param time the new interval
   * @throws IllegalArgumentException if it is zero or negative
   */
  public ArchiveOptions withInterval(Duration time) {
    return new ArchiveOptions(store, time, lateMax, lagBytesMax, baseBytes, retention, basesMax);
  }

  /**
   * {@return these options with another limit for a late archive}
   *
   * @param max the new limit
   * @throws IllegalArgumentException if it is zero or negative
   */
  public ArchiveOptions withLateMax(Duration max) {
    return new ArchiveOptions(store, interval, max, lagBytesMax, baseBytes, retention, basesMax);
  }

  /**
   * {@return these options with another bound on what is kept for the archive}
   *
   * @param bytes the new bound
   * @throws IllegalArgumentException if it is negative
   */
  public ArchiveOptions withLagBytesMax(long bytes) {
    return new ArchiveOptions(store, interval, lateMax, bytes, baseBytes, retention, basesMax);
  }

  /**
   * {@return these options with base images more or less often}
   *
   * @param bytes how much of the journal is archived between two of them
   * @throws IllegalArgumentException if it is less than 1
   */
  public ArchiveOptions withBaseBytes(long bytes) {
    return new ArchiveOptions(store, interval, lateMax, lagBytesMax, bytes, retention, basesMax);
  }

  /**
   * {@return these options with another time for which every moment stays restorable}
   *
   * @param time the new time; older moments are deleted when a base image makes that possible
   * @throws IllegalArgumentException if it is zero or negative
   */
  public ArchiveOptions withRetention(Duration time) {
    return new ArchiveOptions(store, interval, lateMax, lagBytesMax, baseBytes, time, basesMax);
  }

  /**
   * {@return these options with another number of base images that stay}
   *
   * @param max the new number
   * @throws IllegalArgumentException if it is less than 1
   */
  public ArchiveOptions withBasesMax(int max) {
    return new ArchiveOptions(store, interval, lateMax, lagBytesMax, baseBytes, retention, max);
  }
}
