package dev.holdfast.runtime;

import dev.holdfast.TimeSource;

/**
 * How long a runtime has been open. The clock is not read after the end: a close also closes the
 * clock.
 */
final class Uptime {

  private static final long NOT_OVER = -1;

  private final TimeSource time;
  private final long openedNanos;
  private volatile long totalNanos = NOT_OVER;

  Uptime(TimeSource time) {
    this.time = time;
    this.openedNanos = time.monotonicNanos();
  }

  void end() {
    totalNanos = sinceOpened();
  }

  long nanos() {
    long total = totalNanos;
    return total == NOT_OVER ? sinceOpened() : total;
  }

  private long sinceOpened() {
    return time.monotonicNanos() - openedNanos;
  }
}
