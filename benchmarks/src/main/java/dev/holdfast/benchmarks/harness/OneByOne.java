package dev.holdfast.benchmarks.harness;

import java.util.Arrays;
import java.util.function.LongSupplier;

/** Measures consecutive calls of one thread, each with its latency. */
public final class OneByOne {

  private OneByOne() {}

  /** A call of one of many objects. */
  @FunctionalInterface
  public interface Call {

    /** Calls the object of a number and waits for its reply. */
    void make(int number) throws Exception;
  }

  /**
   * Calls each object once.
   *
   * @param objects the number of objects
   * @param call the call
   * @param syncCount counts the syncs of the side's disk
   * @return the measurements
   * @throws Exception the first failure of a call
   */
  public static Measured run(int objects, Call call, LongSupplier syncCount) throws Exception {
    long[] latencies = new long[objects];
    long cpuBefore = ClosedLoop.processCpuNanos();
    long syncsBefore = syncCount.getAsLong();
    long start = System.nanoTime();
    for (int number = 0; number < objects; number++) {
      long before = System.nanoTime();
      call.make(number);
      latencies[number] = System.nanoTime() - before;
    }
    long elapsed = System.nanoTime() - start;
    long cpuNanos = ClosedLoop.processCpuNanos() - cpuBefore;
    Arrays.sort(latencies);
    return new Measured(
        objects,
        elapsed,
        cpuNanos,
        syncCount.getAsLong() - syncsBefore,
        Measured.percentile(latencies, 0.50),
        Measured.percentile(latencies, 0.99));
  }
}
