package dev.holdfast.journal.group;

import dev.holdfast.TimeSource;
import java.util.function.LongUnaryOperator;

/**
 * Bounds how long a record that no caller waits for stays in memory: flushes its group after {@code
 * lingerNanos}. One timer at a time watches a group: if that group still gathers when the timer
 * ends, it is flushed; if another group gathers, the timer watches that one next. So a busy journal
 * has one timer per {@code lingerNanos}, and an idle one has none.
 *
 * <p>Thread-safe.
 */
public final class Linger {

  /** No group gathers records. */
  public static final long NOTHING = -1;

  private final TimeSource time;
  private final long lingerNanos;
  private final LongUnaryOperator flushIfGathering;
  private volatile boolean watching;

  /**
   * @param flushIfGathering flushes the group that begins with a given position if it still
   *     gathers; returns the first position of another group that gathers and has records, or
   *     {@link #NOTHING}
   */
  public Linger(TimeSource time, long lingerNanos, LongUnaryOperator flushIfGathering) {
    this.time = time;
    this.lingerNanos = lingerNanos;
    this.flushIfGathering = flushIfGathering;
  }

  /**
   * Called before a record is added, so that a failure to set a timer cannot leave a record whose
   * appender got no position. Costs one volatile read while a timer is set.
   *
   * @param firstPosition the first position of the gathering group, if it is empty
   */
  public void recordComes(long firstPosition) {
    if (!watching) {
      // Two threads may both get here: a second timer is harmless.
      watch(firstPosition);
    }
  }

  /**
   * {@return whether a timer is set that sees all records added so far; if not, the last one has
   * ended between the announcement of a record and its addition}
   */
  public boolean isWatching() {
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
   * {@code watching} ends before the groups are checked: a thread that adds a record after the
   * check sees that it has ended.
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
          // Earlier than necessary, but not never.
          unwatched = flushIfGathering.applyAsLong(unwatched);
        }
      }
    }
  }
}
