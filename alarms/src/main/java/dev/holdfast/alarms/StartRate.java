package dev.holdfast.alarms;

/**
 * Bounds the number of handlers started per second: a token bucket that fills at that rate and
 * holds a fiftieth of a second. Guarded by the lock of its {@link Dispatcher}.
 */
final class StartRate {

  private static final long SECOND_NANOS = 1_000_000_000;

  private final long nanosPerStart;
  private final long burstNanos;

  /** The fill level, as a time; each start takes its share. */
  private long gatheredNanos;

  private long lastNanos;

  StartRate(int startsPerSecondMax, long nowNanos) {
    nanosPerStart = Math.max(1, SECOND_NANOS / startsPerSecondMax);
    burstNanos = Math.max(nanosPerStart, SECOND_NANOS / AlarmBounds.BURSTS_PER_SECOND);
    gatheredNanos = burstNanos;
    lastNanos = nowNanos;
  }

  /**
   * {@return the time until the next start is allowed; 0 if it is allowed now, and is then counted}
   */
  long take(long nowNanos) {
    assert nowNanos - lastNanos >= 0;
    gatheredNanos = Math.min(burstNanos, gatheredNanos + (nowNanos - lastNanos));
    lastNanos = nowNanos;
    if (gatheredNanos < nanosPerStart) {
      return nanosPerStart - gatheredNanos;
    }
    gatheredNanos -= nanosPerStart;
    assert gatheredNanos >= 0 && gatheredNanos <= burstNanos;
    return 0;
  }
}
