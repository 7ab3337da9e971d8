package dev.holdfast.alarms;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The bounds of the alarms: what is in memory, and the times after which something is done. */
final class AlarmBounds {

  /** How late alarms are at most after the wall clock has jumped: no timer is longer. */
  static final long RECHECK_MILLIS = 10_000;

  /**
   * How many entries of the index are read at once; twice as many stay in memory for a namespace.
   */
  static final int PAGE = 4_096;

  /** When this many objects cannot be reached, it is not them: nothing is started for a while. */
  static final int POSTPONED_MAX = 100_000;

  /** When a handler counts as slow and gives its slot away: after some syncs of a slow disk. */
  static final long LONG_NANOS = 100_000_000;

  /** Into how many bursts the starts of a second are divided. */
  static final int BURSTS_PER_SECOND = 50;

  /**
   * How far a clock must go back to be repaired for: a schedule has at least a second from run to
   * run, and stands still for less than two.
   */
  static final long BACK_MILLIS_MIN = 1_000;

  /** The time from one page to the next while the index is searched for alarms that stand still. */
  static final long PATROL_PAGE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How long after the first search of the index the second one begins. */
  static final long SECOND_ROUND_NANOS = TimeUnit.HOURS.toNanos(1);

  /** A run that begins later than this after its time was missed. */
  static final long MISSED_MILLIS = 60_000;

  /** Longer delays are allowed, as good as never, and cut: twice this still fits in nanoseconds. */
  static final Duration DELAY_MAX = Duration.ofDays(36_500);

  private AlarmBounds() {}
}
