package dev.holdfast.runtime.internal;

import java.time.Duration;

/** Delays as timers take them. Stateless. */
public final class Delays {

  private Delays() {}

  /**
   * Returns the nanoseconds of a duration that was given by the application. More than 292 years do
   * not fit; they are as good as never, which is what was asked for.
   *
   * @param duration not negative
   * @return its nanoseconds, at most {@link Long#MAX_VALUE}
   */
  public static long nanosOf(Duration duration) {
    try {
      return duration.toNanos();
    } catch (ArithmeticException e) {
      return Long.MAX_VALUE;
    }
  }
}
