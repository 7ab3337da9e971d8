package dev.holdfast.micrometer;

import dev.holdfast.statistics.HistogramSnapshot;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import java.math.BigDecimal;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Registers meters that read parts of a snapshot. Micrometer keeps the source of a meter weakly;
 * each function here keeps it strongly, so that a binder may be forgotten once it is bound.
 *
 * @param <S> what the meters read
 * @param registry where meters are registered
 * @param source takes what the meters read
 * @param tags what each meter has
 * @param registered gets each meter
 */
record Meters<S>(
    MeterRegistry registry, Supplier<S> source, Tags tags, Consumer<Meter> registered) {

  /** The name of the tag with the upper bound of a bucket, in seconds, as in Prometheus. */
  private static final String UPPER_BOUND = "le";

  /** The bounds of exported buckets: a microsecond, and every power of two up to 69 seconds. */
  private static final int FIRST_POWER = 10;

  private static final int LAST_POWER = 36;

  Meters<S> with(String tag, String value) {
    return new Meters<>(registry, source, tags.and(tag, value), registered);
  }

  <T> Meters<T> of(Function<S, T> part) {
    return new Meters<>(registry, () -> part.apply(source.get()), tags, registered);
  }

  void gauge(String name, @Nullable String unit, String text, ToDoubleFunction<S> value) {
    registered.accept(
        Gauge.builder(name, source, _ -> value.applyAsDouble(source.get()))
            .tags(tags)
            .baseUnit(unit)
            .description(text)
            .register(registry));
  }

  void counter(String name, @Nullable String unit, String text, ToDoubleFunction<S> value) {
    registered.accept(
        FunctionCounter.builder(name, source, _ -> value.applyAsDouble(source.get()))
            .tags(tags)
            .baseUnit(unit)
            .description(text)
            .register(registry));
  }

  /** A gauge of a duration, or of a time since 1970, in the unit of the registry. */
  void time(String name, String text, TimeUnit unit, ToDoubleFunction<S> value) {
    registered.accept(
        TimeGauge.builder(name, source, unit, _ -> value.applyAsDouble(source.get()))
            .tags(tags)
            .description(text)
            .register(registry));
  }

  /**
   * A timer with the count and the sum of a histogram of nanoseconds, and a counter for each bucket
   * that says how many values are not longer than its bound. A registry cannot be given the buckets
   * of a histogram, only single values, of which there are too many.
   */
  void timer(String name, String text, Function<S, HistogramSnapshot> histogram) {
    registered.accept(
        FunctionTimer.builder(
                name,
                source,
                _ -> histogram.apply(source.get()).count(),
                _ -> histogram.apply(source.get()).sum(),
                TimeUnit.NANOSECONDS)
            .tags(tags)
            .description(text)
            .register(registry));
    for (int power = FIRST_POWER; power <= LAST_POWER; power++) {
      long bound = (1L << power) - 1; // the last value of a bucket: no bucket is cut
      bucket(
          name, BigDecimal.valueOf(bound, 9).toPlainString(), s -> upTo(histogram.apply(s), bound));
    }
    bucket(name, "+Inf", s -> histogram.apply(s).count());
  }

  private void bucket(String name, String bound, ToDoubleFunction<S> count) {
    with(UPPER_BOUND, bound)
        .counter(
            name + ".histogram",
            null,
            "How many values of " + name + " are at most le seconds",
            count);
  }

  private static double upTo(HistogramSnapshot histogram, long bound) {
    long count = 0;
    for (HistogramSnapshot.Bucket each : histogram.buckets()) {
      if (each.to() > bound) {
        break;
      }
      count += each.count();
    }
    return count;
  }
}
