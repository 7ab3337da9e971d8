package dev.holdfast.console.page;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Numbers with their units, and other texts for people. */
public final class Text {

  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};

  private static final String[] PERIODS = {" d", " h", " min", " s", " ms"};

  private Text() {}

  /**
   * {@return a size such as 1.2 MiB}
   *
   * @param value a number of bytes; a dash for null
   */
  public static String bytes(@Nullable Object value) {
    if (!(value instanceof Number number)) {
      return "-";
    }
    double shown = number.doubleValue();
    int unit = 0;
    while (Math.abs(shown) >= 1024 && unit < UNITS.length - 1) {
      shown /= 1024;
      unit++;
    }
    return unit == 0
        ? number.longValue() + " B"
        : String.format(Locale.ROOT, shown < 10 ? "%.2f %s" : "%.1f %s", shown, UNITS[unit]);
  }

  /**
   * {@return a number with separators such as 1,234,567}
   *
   * @param value a number; a dash for null
   */
  public static String number(@Nullable Object value) {
    return switch (value) {
      case Long number -> String.format(Locale.ROOT, "%,d", number);
      case Integer number -> String.format(Locale.ROOT, "%,d", number);
      case Number number -> String.format(Locale.ROOT, "%,.1f", number.doubleValue());
      case null, default -> "-";
    };
  }

  /**
   * {@return a duration such as 1.2 ms}
   *
   * @param nanos a number of nanoseconds; a dash for null
   */
  public static String duration(@Nullable Object nanos) {
    if (!(nanos instanceof Number number)) {
      return "-";
    }
    double micros = number.doubleValue() / 1e3;
    if (micros < 1_000) {
      return String.format(Locale.ROOT, "%.1f us", micros);
    }
    return micros < 1e6
        ? String.format(Locale.ROOT, "%.1f ms", micros / 1e3)
        : String.format(Locale.ROOT, "%.1f s", micros / 1e6);
  }

  /**
   * {@return a schedule such as every 1 h 30 min; missed runs: once}
   *
   * @param stored as it is stored with its alarm; a dash for null
   */
  public static String schedule(@Nullable Object stored) {
    String[] parts = of(stored).split(" ", 4);
    if (parts[0].equals("every") && parts.length == 3) {
      Duration period = Duration.ofMillis(Long.parseLong(parts[2]));
      return "every " + period(period) + missed(parts[1]);
    }
    return parts[0].equals("cron") && parts.length == 4
        ? "cron " + parts[3] + " in " + parts[2] + missed(parts[1])
        : of(stored);
  }

  private static String missed(String policy) {
    return "; missed runs: " + policy.toLowerCase(Locale.ROOT);
  }

  private static String period(Duration of) {
    StringJoiner parts = new StringJoiner(" ");
    long[] values = {
      of.toDays(), of.toHoursPart(), of.toMinutesPart(), of.toSecondsPart(), of.toMillisPart()
    };
    for (int each = 0; each < values.length; each++) {
      if (values[each] > 0) {
        parts.add(values[each] + PERIODS[each]);
      }
    }
    return parts.toString();
  }

  /**
   * {@return a text; a dash for null}
   *
   * @param value anything
   */
  public static String of(@Nullable Object value) {
    return value == null ? "-" : String.valueOf(value);
  }

  /**
   * {@return a text as a part of the query of an address}
   *
   * @param value anything
   */
  public static String query(@Nullable Object value) {
    return URLEncoder.encode(String.valueOf(value), StandardCharsets.UTF_8);
  }
}
