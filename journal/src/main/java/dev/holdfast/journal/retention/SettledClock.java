package dev.holdfast.journal.retention;

import dev.holdfast.TimeSource;
import dev.holdfast.journal.file.JournalBounds;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/**
 * The wall clock for decisions that cannot be undone. A machine with a wrong time server may be
 * years ahead for a moment; history that is deleted in that moment is lost. So a clock that has
 * moved by more than the elapsed time is trusted only after it has stayed so for an hour. A clock
 * that was set back is trusted at once: it causes no early deletion.
 *
 * <p>Suspending the machine looks the same, because the monotonic clock stops meanwhile, and that
 * step is real. A laptop may be suspended every hour. So each step has its own hour, and a later
 * step does not restart it: the trusted lead is the smallest lead of the wall clock over the
 * monotonic clock in the last hour. A machine that sleeps repeatedly deletes an hour of running
 * time late, which is harmless.
 *
 * <p>Confined to one thread.
 */
public final class SettledClock {

  private final TimeSource time;

  /**
   * Minimum leads of the wall clock over the monotonic clock, each with its start. The first has
   * held since an hour ago or later; each is larger than the one before it.
   */
  private final Deque<Lead> leads = new ArrayDeque<>();

  private record Lead(long sinceNanos, long millis) {}

  /**
   * Begins to observe the clock. What it is ahead of a time that is known counts as a step: a
   * machine may have no time yet when an application begins.
   *
   * @param time the clock
   * @param knownMillis a time that has passed, milliseconds since 1970: the present one, to trust
   *     the clock as it is
   */
  public SettledClock(TimeSource time, long knownMillis) {
    this.time = time;
    long nowNanos = time.monotonicNanos();
    leads.addLast(new Lead(nowNanos, knownMillis - TimeUnit.NANOSECONDS.toMillis(nowNanos)));
    millis();
  }

  /** {@return milliseconds since 1970} */
  public long millis() {
    // Read first: time that passes between the two reads makes a lead that the next read corrects,
    // not a lag that lasts for an hour.
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

  /**
   * {@return when a step of the clock counts, in nanoseconds from now; the largest long if never}
   */
  long nanosUntilStep() {
    return leads.stream()
        .skip(1)
        .mapToLong(
            next -> next.sinceNanos() + JournalBounds.CLOCK_PROBATION_NANOS - time.monotonicNanos())
        .findFirst()
        .orElse(Long.MAX_VALUE);
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
