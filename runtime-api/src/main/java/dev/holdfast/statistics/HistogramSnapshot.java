package dev.holdfast.statistics;

import java.util.ArrayList;
import java.util.List;

/**
 * A distribution of values, such as durations in nanoseconds. Counts are exact; a value is known to
 * about 3 %, since it is counted in a bucket whose bounds differ by at most a thirty-second of the
 * lower one. Immutable.
 *
 * @param buckets the buckets that counted a value, in ascending order, without overlap
 * @param sum the sum of all values, exact; wraps beyond {@link Long#MAX_VALUE}
 * @param max the largest value, exact in a snapshot and to about 3 % in a difference of two; 0 if
 *     there is none
 * @param samplingWeight 1 if each value was measured. Otherwise one in this number of the cheap
 *     occurrences was measured, at random, and counts that often; the count is then an estimate
 */
public record HistogramSnapshot(List<Bucket> buckets, long sum, long max, int samplingWeight) {

  /** A histogram without values. */
  public static final HistogramSnapshot EMPTY = new HistogramSnapshot(List.of(), 0, 0, 1);

  /**
   * The values between two bounds.
   *
   * @param from the lower bound, inclusive
   * @param to the upper bound, inclusive
   * @param count how many values were counted; at least 1
   */
  public record Bucket(long from, long to, long count) {

    /**
     * Checks the bounds and the count.
     *
     * @throws IllegalArgumentException if the bounds are out of order or nothing was counted
     */
    public Bucket {
      if (from < 0 || to < from || count < 1) {
        throw new IllegalArgumentException(
            "A bucket from " + from + " to " + to + " cannot have the count " + count);
      }
    }
  }

  /**
   * Checks the order of the buckets.
   *
   * @throws IllegalArgumentException if buckets overlap or are out of order, or the weight is not
   *     positive
   */
  public HistogramSnapshot {
    buckets = List.copyOf(buckets);
    if (samplingWeight < 1) {
      throw new IllegalArgumentException(
          "samplingWeight is " + samplingWeight + ", but at least 1");
    }
    for (int i = 1; i < buckets.size(); i++) {
      if (buckets.get(i).from() <= buckets.get(i - 1).to()) {
        throw new IllegalArgumentException(
            "Bucket " + buckets.get(i) + " does not follow " + buckets.get(i - 1));
      }
    }
  }

  /** {@return how many values were counted, each as often as its sampling weight says} */
  public long count() {
    long count = 0;
    for (Bucket each : buckets) {
      count += each.count();
    }
    return count;
  }

  /** {@return the average of the values; 0 if there is none} */
  public double mean() {
    long count = count();
    return count == 0 ? 0 : (double) sum / count;
  }

  /**
   * Returns the value that a share of all values does not exceed: never below the exact value, and
   * at most about 3 % above it.
   *
   * @param percent the share, from 0 to 100: 50 for the median
   * @return the value; 0 if there is none
   * @throws IllegalArgumentException if the share is out of range
   */
  public long percentile(double percent) {
    if (!(percent >= 0 && percent <= 100)) {
      throw new IllegalArgumentException("A percentile is from 0 to 100, not " + percent);
    }
    long rank = Math.max(1, (long) Math.ceil(percent / 100 * count()));
    long seen = 0;
    for (Bucket each : buckets) {
      seen += each.count();
      if (seen >= rank) {
        return Math.min(each.to(), max);
      }
    }
    return max;
  }

  /**
   * Returns what was recorded after an earlier snapshot of the same histogram.
   *
   * @param earlier the earlier snapshot
   * @return the values between the two
   */
  public HistogramSnapshot minus(HistogramSnapshot earlier) {
    List<Bucket> rest = new ArrayList<>();
    int at = 0;
    for (Bucket each : buckets) {
      while (at < earlier.buckets.size() && earlier.buckets.get(at).to() < each.from()) {
        at++;
      }
      boolean isKnown = at < earlier.buckets.size() && earlier.buckets.get(at).to() == each.to();
      long count = each.count() - (isKnown ? earlier.buckets.get(at).count() : 0);
      if (count > 0) {
        rest.add(new Bucket(each.from(), each.to(), count));
      }
    }
    long restMax = rest.isEmpty() ? 0 : Math.min(max, rest.getLast().to());
    return new HistogramSnapshot(rest, sum - earlier.sum, restMax, samplingWeight);
  }
}
