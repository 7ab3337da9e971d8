package dev.holdfast.benchmarks.objects;

import java.util.Arrays;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/** Handlers of alarms that have begun, and how late each was. Thread-safe. */
public final class FiredAlarms {

  private static final int SAMPLES_MAX = 1 << 17;

  private final long[] lateNanos = new long[SAMPLES_MAX];
  private final AtomicInteger count = new AtomicInteger();
  private final Semaphore begun = new Semaphore(0);

  void add(long nanos) {
    lateNanos[count.getAndIncrement() & (SAMPLES_MAX - 1)] = nanos;
    begun.release();
  }

  /** Waits until this number of further handlers has begun. */
  public void await(int more) throws InterruptedException {
    begun.acquire(more);
  }

  /** {@return the lateness of each, ascending; call it after all have begun} */
  public long[] sortedNanos() {
    long[] sorted = Arrays.copyOf(lateNanos, Math.min(count.get(), SAMPLES_MAX));
    Arrays.sort(sorted);
    return sorted;
  }
}
