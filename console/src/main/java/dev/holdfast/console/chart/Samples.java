package dev.holdfast.console.chart;

import dev.holdfast.console.page.PageException;
import dev.holdfast.console.page.Source;
import dev.holdfast.operator.OperatorRequest;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The figures of the last hour, in memory: a fixed number of samples, of which the oldest is
 * overwritten. Thread-safe.
 */
public final class Samples {

  /** Seconds between two samples. */
  public static final int PERIOD_SECONDS = 5;

  private static final int KEPT = 3_600 / PERIOD_SECONDS;

  private final Source source;
  private final LongSupplier clock;
  private final long[] times = new long[KEPT];
  private final Map<Series, double[]> values = new LinkedHashMap<>();
  private int taken;
  private @Nullable Map<String, @Nullable Object> before;
  private long beforeMillis;

  /**
   * Creates an empty hour.
   *
   * @param source what is asked for its statistics
   * @param clock the time in milliseconds
   */
  public Samples(Source source, LongSupplier clock) {
    this.source = source;
    this.clock = clock;
    for (Series each : Series.ALL) {
      values.put(each, new double[KEPT]);
    }
  }

  /** Takes a sample. One without an answer is a gap in each line. */
  public void take() {
    @Nullable Map<String, @Nullable Object> now;
    try {
      now = source.ask(OperatorRequest.of("stats"), 1).one();
    } catch (PageException e) {
      now = null; // the pages say why; here is a gap
    }
    add(now, clock.getAsLong());
  }

  private synchronized void add(@Nullable Map<String, @Nullable Object> now, long millis) {
    if (taken > 0 && millis <= times[(taken - 1) % KEPT]) {
      return; // the clock went back, and a line does not
    }
    Map<?, ?> last = before;
    for (Map.Entry<Series, double[]> each : values.entrySet()) {
      each.getValue()[taken % KEPT] =
          now == null || last == null
              ? Double.NaN
              : each.getKey().between(last, now, (millis - beforeMillis) / 1e3);
    }
    times[taken % KEPT] = millis;
    taken++;
    before = now;
    beforeMillis = millis;
  }

  /** {@return the last answer; null if it is missing or older than two periods} */
  public synchronized @Nullable Map<String, @Nullable Object> latest() {
    boolean isNew = clock.getAsLong() - beforeMillis < 2_000L * PERIOD_SECONDS;
    return isNew ? before : null;
  }

  /**
   * {@return the samples as JSON: {@code times} in seconds, and for each series an array of as many
   * numbers, where null is a gap}
   *
   * @param afterMillis only samples that are later
   */
  public synchronized String json(long afterMillis) {
    int first = Math.max(0, taken - KEPT);
    while (first < taken && times[first % KEPT] <= afterMillis) {
      first++;
    }
    StringBuilder json = new StringBuilder("{\"times\":[");
    for (int each = first; each < taken; each++) {
      json.append(each == first ? "" : ",").append(times[each % KEPT] / 1e3);
    }
    json.append(']');
    for (Map.Entry<Series, double[]> series : values.entrySet()) {
      json.append(",\"").append(series.getKey().id()).append("\":[");
      for (int each = first; each < taken; each++) {
        double value = series.getValue()[each % KEPT];
        json.append(each == first ? "" : ",").append(Double.isNaN(value) ? "null" : value);
      }
      json.append(']');
    }
    return json.append('}').toString();
  }
}
