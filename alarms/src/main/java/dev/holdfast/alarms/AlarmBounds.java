package dev.holdfast.alarms;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The limits of the alarms: what is kept in memory, and the times after which something is done.
 */
final class AlarmBounds {

  /** Maximum delay of alarms after the wall clock has jumped: no timer is longer. */
  static final long RECHECK_MILLIS = 10_000;

  /** The shortest period that a new schedule has; a file may name any. */
  static final long PERIOD_MILLIS_MIN = 1_000;

  /** The number of index entries read at once; twice as many stay in memory for a namespace. */
  static final int PAGE = 4_096;

  /**
   * If this many objects cannot be reached, the cause is not the objects: no handler is started for
   * a while.
   */
  static final int POSTPONED_MAX = 100_000;

  /**
   * The time after which a handler counts as slow and gives up its slot: some syncs of a slow disk.
   */
  static final long LONG_NANOS = 100_000_000;

  /** The number of bursts into which the starts of a second are divided. */
  static final int BURSTS_PER_SECOND = 50;

  /**
   * The minimum step back of the clock that is repaired: a schedule has at least a second between
   * runs, and is delayed by less than two.
   */
  static final long BACK_MILLIS_MIN = 1_000;

  /** The time between pages while the index is searched for stuck alarms. */
  static final long REPAIR_PAGE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The time between the first search of the index and the second. */
  static final long SECOND_ROUND_NANOS = TimeUnit.HOURS.toNanos(1);

  /** A run that begins later than this after its scheduled time counts as missed. */
  static final long MISSED_MILLIS = 60_000;

  /**
   * Longer delays are allowed but cut to this, which is practically never: twice this still fits in
   * nanoseconds.
   */
  static final Duration DELAY_MAX = Duration.ofDays(36_500);

  private AlarmBounds() {}
}
