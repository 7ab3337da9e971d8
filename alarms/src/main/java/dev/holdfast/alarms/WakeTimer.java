package dev.holdfast.alarms;

import dev.holdfast.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * Wakes the dispatcher at the earliest of the times that it has asked for. Guarded by the lock of
 * the {@link Dispatcher}.
 */
final class WakeTimer {

  private final TimeSource time;
  private final Runnable wake;

  private TimeSource.@Nullable Timer timer;
  private long atNanos;
  private boolean closed;

  /**
   * Creates a timer that is not set.
   *
   * @param wake what to run, without the lock; calls {@link #woken} first
   */
  WakeTimer(TimeSource time, Runnable wake) {
    this.time = time;
    this.wake = wake;
  }

  /** Wakes the dispatcher after a delay at the latest; the largest long asks for nothing. */
  void wakeWithin(long delayNanos) {
    if (delayNanos == Long.MAX_VALUE || closed) {
      return;
    }
    long wantedNanos = time.monotonicNanos() + delayNanos;
    if (timer != null && atNanos - wantedNanos <= 0) {
      return;
    }
    // The earlier timer is replaced last: it stays if there is no memory for another.
    TimeSource.Timer replaced = timer;
    timer = time.schedule(delayNanos, wake);
    atNanos = wantedNanos;
    if (replaced != null) {
      replaced.cancel();
    }
  }

  /** Records that the timer has run out. */
  void woken() {
    timer = null;
  }

  /** Wakes the dispatcher no more. */
  void close() {
    closed = true;
    if (timer != null) {
      timer.cancel();
    }
  }
}
