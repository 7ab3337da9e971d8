package dev.holdfast.journal;

import dev.holdfast.spi.TimeSource;
import java.util.function.LongUnaryOperator;

/**
 * Sees to it that records are written soon though nobody waits for them. One timer at a time
 * watches a group: if it still gathers when the timer ends, it is flushed; if another one does,
 * that one is watched next. So a busy journal has one timer per {@code lingerNanos}, and an idle
 * one none.
 *
 * <p>Thread-safe.
 */
final class Linger {

  /** No group gathers records. */
  static final long NOTHING = -1;

  private final TimeSource time;
  private final long lingerNanos;
  private final LongUnaryOperator flushIfGathering;
  private volatile boolean watching;

  /**
   * @param flushIfGathering has the group that begins with a given position flushed if it still
   *     gathers; returns the first position of another group that does and has records, or {@link
   *     #NOTHING}
   */
  Linger(TimeSource time, long lingerNanos, LongUnaryOperator flushIfGathering) {
    this.time = time;
    this.lingerNanos = lingerNanos;
    this.flushIfGathering = flushIfGathering;
  }

  /**
   * Called before a record is added, so that a timer that cannot be set costs no record its
   * appender has no position of. Costs one volatile read while a timer is set.
   *
   * @param firstPosition that of the group that gathers, if it is empty
   */
  void recordComes(long firstPosition) {
    if (!watching) {
      // Two threads may both get here: a second timer does no harm.
      watch(firstPosition);
    }
  }

  /**
   * {@return whether a timer is set that sees all records added so far; if not, the last one has
   * ended between the announcement of a record and its addition}
   */
  boolean isWatching() {
    return watching;
  }

  private void watch(long firstPosition) {
    boolean set = false;
    watching = true;
    try {
      time.schedule(lingerNanos, () -> timeIsUp(firstPosition));
      set = true;
    } finally {
      if (!set) {
        watching = false;
      }
    }
  }

  /**
   * {@code watching} ends before the look at the groups: whoever adds a record after the look sees
   * it ended.
   */
  private void timeIsUp(long firstPosition) {
    watching = false;
    long other = flushIfGathering.applyAsLong(firstPosition);
    if (other != NOTHING) {
      long unwatched = other;
      try {
        watch(other);
        unwatched = NOTHING;
      } finally {
        if (unwatched != NOTHING) {
          // Sooner than need be, instead of never.
          unwatched = flushIfGathering.applyAsLong(unwatched);
        }
      }
    }
  }
}
