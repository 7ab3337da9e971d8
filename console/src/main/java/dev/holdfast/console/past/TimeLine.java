package dev.holdfast.console.past;

import dev.holdfast.console.page.PageException;
import dev.holdfast.console.page.Source;
import dev.holdfast.console.page.Text;
import dev.holdfast.operator.OperatorRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many changes there were by time, as bars in a picture. Immutable.
 *
 * @param bars one for each interval that has changes
 * @param since the first time; null without changes
 * @param until the last time; null without changes
 * @param changes how many changes there are in all
 * @param bytes how large they are in all
 * @param newest the state after the last change; null if it is not of one object
 * @param note why not all are counted; null if they are
 */
public record TimeLine(
    List<Bar> bars,
    @Nullable Instant since,
    @Nullable Instant until,
    String changes,
    String bytes,
    @Nullable String newest,
    @Nullable String note) {

  /** The size of the picture. */
  public static final int WIDTH = 960;

  /** The height of the picture. */
  public static final int HEIGHT = 80;

  private static final int INTERVALS = 96;

  /**
   * The changes of an interval.
   *
   * @param x where its bar begins
   * @param width how wide it is
   * @param height how high it is
   * @param since the first time of the interval
   * @param until the last one
   * @param title what the bar says in words
   */
  public record Bar(int x, int width, int height, String since, String until, String title) {}

  static TimeLine read(
      Source source, OperatorRequest request, @Nullable String since, @Nullable String until) {
    Source.Result found =
        source.ask(
            request
                .with("since", time(since))
                .with("until", time(until))
                .with("intervals", (long) INTERVALS),
            INTERVALS + 1);
    List<Map<String, @Nullable Object>> intervals = found.answers();
    long most = intervals.stream().mapToLong(each -> number(each, "changes")).max().orElse(0);
    List<Bar> bars = new ArrayList<>();
    String newest = null;
    for (int each = 0; each < intervals.size(); each++) {
      Map<String, @Nullable Object> interval = intervals.get(each);
      long changes = number(interval, "changes");
      if (changes > 0) {
        int x = each * WIDTH / intervals.size();
        bars.add(
            new Bar(
                x,
                Math.max(2, (each + 1) * WIDTH / intervals.size() - x - 1),
                Math.max(3, (int) (HEIGHT * changes / most)),
                Text.of(interval.get("from")),
                Text.of(interval.get("to")),
                Text.number(changes)
                    + " changes, "
                    + Text.bytes(interval.get("bytes"))
                    + ", "
                    + interval.get("from")));
        newest = (String) interval.get("bookmark");
      }
    }
    return new TimeLine(
        List.copyOf(bars),
        intervals.isEmpty() ? null : Instant.parse(Text.of(intervals.getFirst().get("from"))),
        intervals.isEmpty() ? null : Instant.parse(Text.of(intervals.getLast().get("to"))),
        Text.number(intervals.stream().mapToLong(each -> number(each, "changes")).sum()),
        Text.bytes(intervals.stream().mapToLong(each -> number(each, "bytes")).sum()),
        newest,
        found.note());
  }

  private static long number(Map<?, ?> of, String name) {
    return of.get(name) instanceof Number number ? number.longValue() : 0;
  }

  private static @Nullable String time(@Nullable String text) {
    if (text == null) {
      return null;
    }
    try {
      return Instant.parse(text).toString();
    } catch (DateTimeParseException e) {
      throw new PageException(400, "A time is in UTC, such as 2026-11-23T09:30:00Z.");
    }
  }

  /**
   * {@return another span as the query of an address}
   *
   * @param shift how far it is moved, in parts of the present one
   * @param factor how long it is, in parts of the present one
   */
  public String span(double shift, double factor) {
    if (since == null || until == null) {
      return "";
    }
    double millis = Math.max(2, Duration.between(since, until).toMillis());
    double middle = since.toEpochMilli() + millis * (0.5 + shift);
    Instant from = Instant.ofEpochMilli((long) Math.max(0, middle - millis * factor / 2));
    Instant to = Instant.ofEpochMilli((long) (middle + millis * factor / 2));
    return "&since=" + Text.query(from) + "&until=" + Text.query(to);
  }
}
