package dev.holdfast.benchmarks.harness;

/**
 * The measurements of one round.
 *
 * @param operations calls or commits that ended
 * @param elapsedNanos the duration of the round
 * @param cpuNanos processor time of the whole process meanwhile: background work counts
 * @param syncs syncs of files through the side's disk; 0 if SQLite itself makes them, uncounted
 * @param p50Nanos median latency
 * @param p99Nanos 99th percentile of the latency
 */
public record Measured(
    long operations, long elapsedNanos, long cpuNanos, long syncs, long p50Nanos, long p99Nanos) {

  public double perSecond() {
    return operations * 1e9 / elapsedNanos;
  }

  /** {@return the processor time of an operation; no number without operations} */
  public double cpuMicrosPerOperation() {
    return operations == 0 ? Double.NaN : cpuNanos / 1e3 / operations;
  }

  /** {@return the syncs of an operation; no number without operations} */
  public double syncsPerOperation() {
    return operations == 0 ? Double.NaN : (double) syncs / operations;
  }

  /** {@return the value below which a share of the sorted values lies; 0 if there are none} */
  public static long percentile(long[] sorted, double share) {
    return sorted.length == 0
        ? 0
        : sorted[(int) Math.min(sorted.length - 1, share * sorted.length)];
  }
}
