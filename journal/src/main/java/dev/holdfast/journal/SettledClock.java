package dev.holdfast.journal;

import dev.holdfast.spi.TimeSource;
import java.util.concurrent.TimeUnit;

/**
 * The wall clock for what cannot be taken back. A machine that goes on after a pause, or asks a
 * time server that is wrong, may be years ahead for a moment; history that was deleted in that
 * moment would be gone for good. So a clock that has moved by more than the time that has passed is
 * believed only after it has stayed so for an hour. One that was set back is believed at once:
 * nothing is deleted too early for it. Owned by one thread.
 */
final class SettledClock {

  /** Less than any window, and more than a clock is moved in daily life. */
  private static final long STEP_MILLIS_MAX = TimeUnit.MINUTES.toMillis(5);

  private static final long PROBATION_MILLIS = TimeUnit.HOURS.toMillis(1);

  private final TimeSource time;

  /** What the time is, whatever the clock says. */
  private Reading believed;

  /** Where the clock was first seen that is ahead now; equal to the believed one if it is not. */
  private Reading ahead;

  /**
   * Believes the clock as it is: how long nobody was there to look at it is not known.
   *
   * @param time the clock
   */
  SettledClock(TimeSource time) {
    this.time = time;
    this.believed = Reading.of(time);
    this.ahead = believed;
  }

  /** What a clock said, and when. */
  private record Reading(long wallMillis, long monotonicNanos) {

    static Reading of(TimeSource time) {
      return new Reading(time.wallMillis(), time.monotonicNanos());
    }

    /** {@return how much more the clock has moved since then than time has passed} */
    long stepMillisTo(Reading later) {
      return later.wallMillis - wallMillis - passedMillisTo(later);
    }

    long passedMillisTo(Reading later) {
      return TimeUnit.NANOSECONDS.toMillis(later.monotonicNanos - monotonicNanos);
    }
  }

  /** {@return milliseconds since 1970} */
  long millis() {
    Reading now = Reading.of(time);
    if (believed.stepMillisTo(now) <= STEP_MILLIS_MAX) {
      believed = now;
      ahead = now;
      return now.wallMillis();
    }
    if (ahead.equals(believed) || Math.abs(ahead.stepMillisTo(now)) > STEP_MILLIS_MAX) {
      ahead = now;
    } else if (ahead.passedMillisTo(now) >= PROBATION_MILLIS) {
      believed = now;
      ahead = now;
      return now.wallMillis();
    }
    return believed.wallMillis() + believed.passedMillisTo(now);
  }
}
