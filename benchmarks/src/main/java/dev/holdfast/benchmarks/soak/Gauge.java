package dev.holdfast.benchmarks.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** What must stay flat, and how much it may rise over the steady part before it does not. */
@SuppressWarnings("ImmutableEnumChecker") // the functions have no state
enum Gauge {
  /** Pauses and cold objects make single samples large; the slope is a median. */
  P50("p50 of a call, us", 0.3, 100, Sample::p50Micros),
  P99("p99 of a call, us", 0.5, 5_000, Sample::p99Micros),
  HEAP("heap after a collection, MiB", 0.05, 4, Sample::heapMiB),
  RESIDENT("resident memory, MiB", 0.05, 32, Sample::residentMiB),
  DESCRIPTORS("file descriptors", 0.05, 8, Sample::descriptors),
  THREADS("platform threads", 0, 4, Sample::threads),
  FILES("files", 0.01, 16, Sample::files),
  DISK("data directory, MiB", 0.1, 64, Sample::diskMiB);

  private static final int SAMPLES_MIN = 8;

  private final String title;
  private final double share;
  private final double least;
  private final ToDoubleFunction<Sample> value;

  Gauge(String title, double share, double least, ToDoubleFunction<Sample> value) {
    this.title = title;
    this.share = share;
    this.least = least;
    this.value = value;
  }

  /**
   * How a gauge went.
   *
   * @param gauge the gauge
   * @param median of all samples
   * @param rise from the first sample to the last along the slope; negative if it fell
   * @param bound the greatest rise that counts as flat
   */
  record Trend(Gauge gauge, double median, double rise, double bound) {

    /** {@return whether the gauge stayed within its bound} */
    boolean isFlat() {
      return rise <= bound;
    }
  }

  /** {@return the name with its unit} */
  String title() {
    return title;
  }

  /** {@return the value of a sample} */
  double of(Sample sample) {
    return value.applyAsDouble(sample);
  }

  /**
   * {@return the trend over samples} The slope is the median of those between all pairs (Theil and
   * Sen): one disturbed sample does not move it.
   *
   * @throws IllegalArgumentException if there are too few samples to say anything
   */
  Trend trend(List<Sample> samples) {
    if (samples.size() < SAMPLES_MIN) {
      throw new IllegalArgumentException(
          "A trend needs " + SAMPLES_MIN + " samples, not " + samples.size());
    }
    List<Double> slopes = new ArrayList<>();
    for (int i = 0; i < samples.size(); i++) {
      for (int j = i + 1; j < samples.size(); j++) {
        slopes.add(
            (of(samples.get(j)) - of(samples.get(i)))
                / (samples.get(j).seconds() - samples.get(i).seconds()));
      }
    }
    double span = samples.getLast().seconds() - samples.getFirst().seconds();
    double median = median(samples.stream().map(this::of).toList());
    return new Trend(this, median, median(slopes) * span, Math.max(least, share * median));
  }

  private static double median(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }
}
