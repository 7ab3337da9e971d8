package dev.holdfast.spi.statistics;

import dev.holdfast.statistics.HistogramSnapshot;
import dev.holdfast.statistics.HistogramSnapshot.Bucket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts values in a log-linear histogram: values below 32 have a bucket each, and every larger
 * power of two is cut into 32 buckets of equal width. So a bucket is at most 1/32 of its lower
 * bound wide.
 *
 * <p>No count is lost: each is one atomic addition. A thread that finds another one at its bucket
 * goes to the stripe of its id, so threads that record the same value do not slow each other down
 * for long. Memory is used for what was recorded: 256 bytes for a power of two and stripe, at most
 * 15 KiB for a stripe.
 *
 * <p>Thread-safe; no method blocks.
 */
public final class HistogramRecorder {

  private static final int STEPS_BITS = 5;
  private static final int STEPS = 1 << STEPS_BITS;

  /** The values below {@link #STEPS}, and the powers of two from there on. */
  private static final int RANGES = Long.SIZE - STEPS_BITS;

  private static final int STRIPES =
      Integer.highestOneBit(Math.clamp(Runtime.getRuntime().availableProcessors(), 1, 16));

  private static final long[] NOTHING = {};

  /** The counts of each range; a range is null until a value falls into it. */
  private final AtomicReferenceArray<AtomicLongArray> counts = new AtomicReferenceArray<>(RANGES);

  /** The counts that met another thread, stripe by stripe, with the ranges of each. */
  private final AtomicReferenceArray<AtomicReferenceArray<AtomicLongArray>> contended =
      new AtomicReferenceArray<>(STRIPES);

  private final LongAdder sum = new LongAdder();
  private final LongAccumulator max = new LongAccumulator(Math::max, 0);
  private final int samplingWeight;

  /** Creates an empty histogram in which every value is measured. */
  public HistogramRecorder() {
    this(1);
  }

  /**
   * Creates an empty histogram in which some values are measured by sampling.
   *
   * @param samplingWeight the largest weight that {@link #record(long, int)} gets
   */
  public HistogramRecorder(int samplingWeight) {
    this.samplingWeight = samplingWeight;
  }

  /**
   * Counts a value.
   *
   * @param value zero or more; a negative value counts as zero
   */
  public void record(long value) {
    record(value, 1);
  }

  /**
   * Counts a value that stands for several.
   *
   * @param value zero or more; a negative value counts as zero
   * @param weight how many occurrences it stands for
   */
  public void record(long value, int weight) {
    long counted = Math.max(0, value);
    int range = rangeOf(counted);
    int step = (int) (counted >>> shiftOf(range)) & STEPS - 1;
    AtomicLongArray cells = cellsOf(counts, range);
    long before = cells.getPlain(step);
    if (!cells.compareAndSet(step, before, before + weight)) {
      cellsOf(stripe(), range).getAndAdd(step, weight);
    }
    sum.add(counted * weight);
    max.accumulate(counted);
  }

  /** {@return what was recorded so far; a value that is recorded meanwhile may be in part of it} */
  public HistogramSnapshot snapshot() {
    List<Bucket> buckets = new ArrayList<>();
    for (int range = 0; range < RANGES; range++) {
      long[] sums = countsOf(range);
      for (int step = 0; step < sums.length; step++) {
        if (sums[step] > 0) {
          long from = (range == 0 ? step : (long) STEPS + step) << shiftOf(range);
          buckets.add(new Bucket(from, from + (1L << shiftOf(range)) - 1, sums[step]));
        }
      }
    }
    return new HistogramSnapshot(buckets, sum.sum(), max.get(), samplingWeight);
  }

  /** {@return the counts of a range; empty if nothing fell into it, as in most ranges} */
  private long[] countsOf(int range) {
    AtomicLongArray cells = counts.get(range);
    if (cells == null) {
      return NOTHING; // a count goes to a stripe only where it has met another one here
    }
    long[] sums = new long[STEPS];
    add(cells, sums);
    for (int i = 0; i < STRIPES; i++) {
      AtomicReferenceArray<AtomicLongArray> stripe = contended.get(i);
      AtomicLongArray striped = stripe == null ? null : stripe.get(range);
      if (striped != null) {
        add(striped, sums);
      }
    }
    return sums;
  }

  private static void add(AtomicLongArray cells, long[] sums) {
    for (int step = 0; step < STEPS; step++) {
      sums[step] += cells.get(step);
    }
  }

  private static int rangeOf(long value) {
    return Math.max(0, Long.SIZE - STEPS_BITS - Long.numberOfLeadingZeros(value));
  }

  /** {@return the binary logarithm of the width of the buckets of a range} */
  private static int shiftOf(int range) {
    return Math.max(0, range - 1);
  }

  private AtomicReferenceArray<AtomicLongArray> stripe() {
    int index = (int) Thread.currentThread().threadId() & STRIPES - 1;
    AtomicReferenceArray<AtomicLongArray> stripe = contended.get(index);
    if (stripe != null) {
      return stripe;
    }
    contended.compareAndSet(index, null, new AtomicReferenceArray<>(RANGES));
    return contended.get(index);
  }

  private static AtomicLongArray cellsOf(AtomicReferenceArray<AtomicLongArray> ranges, int range) {
    AtomicLongArray cells = ranges.get(range);
    if (cells != null) {
      return cells;
    }
    ranges.compareAndSet(range, null, new AtomicLongArray(STEPS));
    return ranges.get(range);
  }
}
