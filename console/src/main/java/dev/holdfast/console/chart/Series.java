package dev.holdfast.console.chart;

import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * A figure that is drawn over time. Immutable.
 *
 * @param id its name in addresses and answers
 * @param title its name for people
 * @param unit its unit; empty for a plain number
 * @param value reads it from an answer of the operation {@code stats}
 * @param drawn what is drawn of it
 */
public record Series(
    String id, String title, String unit, ToDoubleFunction<Map<?, ?>> value, Drawn drawn) {

  /** What is drawn of a value. */
  sealed interface Drawn {

    /** The value. */
    record AsItIs() implements Drawn {}

    /** Its growth in a second. */
    record Rate() implements Drawn {}

    /** Its growth divided by that of a counter: the mean of what came, in milliseconds. */
    record MeanMillis(ToDoubleFunction<Map<?, ?>> counter) implements Drawn {}
  }

  /** All, in the order in which they are shown. */
  public static final List<Series> ALL =
      List.of(
          new Series(
              "calls",
              "Calls",
              "per second",
              each -> sum(each, "calls", "returned") + sum(each, "calls", "threw"),
              new Drawn.Rate()),
          new Series(
              "commits",
              "Commits",
              "per second",
              each -> number(each, "journal", "durablePosition"),
              new Drawn.Rate()),
          new Series(
              "sync",
              "Sync of the journal",
              "ms",
              each -> total(each.get("journal"), "syncNanos"),
              new Drawn.MeanMillis(each -> number(each, "journal", "syncNanos", "count"))),
          new Series("queue", "Waiting calls", "", each -> sum(each, "queued"), new Drawn.AsItIs()),
          new Series(
              "live", "Objects in memory", "", each -> sum(each, "live"), new Drawn.AsItIs()),
          new Series(
              "due", "Alarms due", "", each -> sum(each, "alarms", "due"), new Drawn.AsItIs()),
          new Series(
              "late",
              "Alarms late",
              "ms",
              each -> overNamespaces(each, of -> total(of.get("alarms"), "lateNanos")),
              new Drawn.MeanMillis(each -> sum(each, "alarms", "lateNanos", "count"))),
          new Series(
              "disk",
              "Journal on disk",
              "MiB",
              each -> number(each, "journal", "bytesOnDisk") / (1 << 20),
              new Drawn.AsItIs()));

  private static final double NANOS_PER_MILLI = 1e6;

  /** {@return what two samples say together; NaN if they say nothing} */
  double between(Map<?, ?> before, Map<?, ?> now, double seconds) {
    double growth = value.applyAsDouble(now) - value.applyAsDouble(before);
    return switch (drawn) {
      case Drawn.AsItIs() -> value.applyAsDouble(now);
      // Less than before: another process.
      case Drawn.Rate() -> growth < 0 ? Double.NaN : growth / seconds;
      case Drawn.MeanMillis(ToDoubleFunction<Map<?, ?>> counter) -> {
        double count = counter.applyAsDouble(now) - counter.applyAsDouble(before);
        yield count <= 0 || growth < 0 ? Double.NaN : growth / count / NANOS_PER_MILLI;
      }
    };
  }

  // ---- Members of statistics ----------------------------------------------------------------

  private static double number(@Nullable Object of, String... path) {
    @Nullable Object at = of;
    for (String name : path) {
      at = at instanceof Map<?, ?> members ? members.get(name) : null;
    }
    return at instanceof Number number ? number.doubleValue() : 0;
  }

  /** The sum of all values of a histogram. */
  private static double total(@Nullable Object of, String histogram) {
    return number(of, histogram, "mean") * number(of, histogram, "count");
  }

  private static double sum(Map<?, ?> statistics, String... path) {
    return overNamespaces(statistics, each -> number(each, path));
  }

  private static double overNamespaces(
      Map<?, ?> statistics, ToDoubleFunction<Map<?, ?>> ofNamespace) {
    double sum = 0;
    if (statistics.get("namespaces") instanceof Map<?, ?> namespaces) {
      for (Object each : namespaces.values()) {
        sum += each instanceof Map<?, ?> members ? ofNamespace.applyAsDouble(members) : 0;
      }
    }
    return sum;
  }
}
