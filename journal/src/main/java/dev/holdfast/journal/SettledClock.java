package dev.holdfast.journal;

import dev.holdfast.journal.file.JournalBounds;
import dev.holdfast.spi.TimeSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/**
 * The wall clock for what cannot be taken back. A machine that asks a time server that is wrong may
 * be years ahead for a moment; history that was deleted in that moment would be gone for good. So a
 * clock that has moved by more than the time that has passed is believed only after it has stayed
 * so for an hour. One that was set back is believed at once: nothing is deleted too early for it.
 *
 * <p>A pause of the machine looks the same, as the monotonic clock stands meanwhile, and its step
 * is true. A laptop may make one each hour. So each step has an hour of its own, and a later one
 * does not begin that anew: what is believed is the least that the clock has been ahead of the
 * monotonic one in the last hour. A machine that sleeps again and again is an hour of running late
 * with what it deletes, which does no harm.
 *
 * <p>Owned by one thread.
 */
final class SettledClock {

  private final TimeSource time;

  /**
   * How far the wall clock has been ahead of the monotonic one, at least, since when. The first was
   * so an hour ago, or has been since; each is more than the one before it.
   */
  private final Deque<Lead> leads = new ArrayDeque<>();

  private record Lead(long sinceNanos, long millis) {}

  /**
   * Believes the clock as it is: how long nobody was there to look at it is not known.
   *
   * @param time the clock
   */
  SettledClock(TimeSource time) {
    this.time = time;
    millis();
  }

  /** {@return milliseconds since 1970} */
  long millis() {
    // This one first: time that passes in between makes a lead that the next look takes back, not a
    // lag that lasts for an hour.
    long nowNanos = time.monotonicNanos();
    long monotonicMillis = TimeUnit.NANOSECONDS.toMillis(nowNanos);
    long leadMillis = time.wallMillis() - monotonicMillis;
    long sinceNanos = nowNanos;
    while (!leads.isEmpty() && leads.getLast().millis() >= leadMillis) {
      sinceNanos = leads.removeLast().sinceNanos();
    }
    if (leads.isEmpty()
        || leadMillis - leads.getLast().millis() >= JournalBounds.CLOCK_STEP_MILLIS_MIN) {
      leads.addLast(new Lead(sinceNanos, leadMillis));
    }
    dropOld(nowNanos);
    return monotonicMillis + leads.getFirst().millis();
  }

  /** A lead is over when the clock has been further ahead for an hour. */
  private void dropOld(long nowNanos) {
    Lead oldest = leads.removeFirst();
    while (!leads.isEmpty()
        && nowNanos - leads.getFirst().sinceNanos() >= JournalBounds.CLOCK_PROBATION_NANOS) {
      oldest = leads.removeFirst();
    }
    leads.addFirst(oldest);
  }
}
