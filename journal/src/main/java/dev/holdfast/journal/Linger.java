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

  /** Called after a record was added. Costs one volatile read while a timer is set. */
  void recordAdded() {
    if (!watching) {
      // Two threads may both get here: a second timer does no harm.
      watch(flushIfGathering.applyAsLong(NOTHING));
    }
  }

  private void watch(long firstPosition) {
    watching = firstPosition != NOTHING;
    if (watching) {
      time.schedule(lingerNanos, () -> timeIsUp(firstPosition));
    }
  }

  /**
   * {@code watching} ends before the look at the groups: a record that is added after the look
   * finds it ended and sets a timer of its own.
   */
  private void timeIsUp(long firstPosition) {
    watching = false;
    watch(flushIfGathering.applyAsLong(firstPosition));
  }
}
