package dev.holdfast.console.chart;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** A figure that is drawn over time. */
public enum Series {
  /** Calls that ended. */
  CALLS(
      "Calls", "per second", each -> sum(each, "calls", "returned") + sum(each, "calls", "threw")),
  /** Records that became durable. */
  COMMITS("Commits", "per second", each -> number(each, "journal", "durablePosition")),
  /** How long a write and sync of the journal takes. */
  SYNC(
      "Sync of the journal",
      "ms",
      each -> total(each.get("journal"), "syncNanos"),
      each -> number(each, "journal", "syncNanos", "count")),
  /** Calls that wait for their object. */
  QUEUE("Waiting calls", "", each -> sum(each, "queued"), /* over= */ null),
  /** Objects in memory. */
  LIVE("Objects in memory", "", each -> sum(each, "live"), /* over= */ null),
  /** Alarms whose time has come. */
  DUE("Alarms due", "", each -> sum(each, "alarms", "due"), /* over= */ null),
  /** How long after its time a handler of an alarm begins. */
  LATE(
      "Alarms late",
      "ms",
      each -> overNamespaces(each, of -> total(of.get("alarms"), "lateNanos")),
      each -> sum(each, "alarms", "lateNanos", "count")),
  /** The files of the journal, the history among them. */
  DISK("Journal on disk", "MiB", each -> number(each, "journal", "bytesOnDisk") / (1 << 20), null);

  private static final double NANOS_PER_MILLI = 1e6;

  private final String title;
  private final String unit;
  private final ToDoubleFunction<Map<?, ?>> value;
  private final @Nullable ToDoubleFunction<Map<?, ?>> over;
  private final boolean isRate;

  /** A counter, whose growth in a second is drawn. */
  Series(String title, String unit, ToDoubleFunction<Map<?, ?>> counter) {
    this.title = title;
    this.unit = unit;
    this.value = counter;
    this.over = null;
    this.isRate = true;
  }

  /** A value as it is; or, over the growth of a counter, the mean of what came since. */
  Series(
      String title,
      String unit,
      ToDoubleFunction<Map<?, ?>> value,
      @Nullable ToDoubleFunction<Map<?, ?>> over) {
    this.title = title;
    this.unit = unit;
    this.value = value;
    this.over = over;
    this.isRate = false;
  }

  /** {@return its name in addresses and answers} */
  public String id() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** {@return its name for people} */
  public String title() {
    return title;
  }

  /** {@return its unit; empty for a plain number} */
  public String unit() {
    return unit;
  }

  /** {@return what two samples say together; NaN if they say nothing} */
  double between(
      List<Map<String, @Nullable Object>> before,
      List<Map<String, @Nullable Object>> now,
      double seconds) {
    double growth = sum(value, now) - sum(value, before);
    if (isRate) {
      return growth < 0 ? Double.NaN : growth / seconds; // less than before: another process
    }
    if (over == null) {
      return sum(value, now);
    }
    double count = sum(over, now) - sum(over, before);
    return count <= 0 || growth < 0 ? Double.NaN : growth / count / NANOS_PER_MILLI;
  }

  /** A node of a cluster answers for each shard. */
  private static double sum(
      ToDoubleFunction<Map<?, ?>> of, List<Map<String, @Nullable Object>> answers) {
    return answers.stream().mapToDouble(of).sum();
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
