package dev.holdfast.console.flow;

import dev.holdfast.console.page.PageException;
import dev.holdfast.console.page.PageFrame;
import dev.holdfast.console.page.Source;
import dev.holdfast.console.page.Text;
import dev.holdfast.operator.OperatorRequest;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The consumers of events, and how far each is. No event is shown. Immutable.
 *
 * @param frame what surrounds it
 * @param lines the consumers, by topic and name
 * @param note that there are more consumers; null if there are not
 * @param done what was done just before; null for nothing
 */
public record EventsPage(
    PageFrame frame, List<Line> lines, @Nullable String note, @Nullable String done) {

  private static final int LINES = 1_000;

  /**
   * A consumer.
   *
   * @param topic its topic
   * @param name its name
   * @param shard the shard of a cluster whose events are meant; empty without a cluster
   * @param isRunning whether it runs, so that it cannot be removed
   * @param state whether it runs
   * @param position the position from which on it has not handled events
   * @param records how many records the journal has from there on
   * @param since when the first of them was written; null if no event is left
   * @param delivering the age of the event that is being delivered; a dash if none is
   * @param handled how many events it has handled since the opening
   * @param failed how many deliveries have failed since the opening
   */
  public record Line(
      String topic,
      String name,
      String shard,
      boolean isRunning,
      String state,
      String position,
      String records,
      @Nullable String since,
      String delivering,
      String handled,
      String failed) {

    /** {@return the consumer as a part of the query of an address} */
    public String query() {
      return "topic="
          + Text.query(topic)
          + "&consumer="
          + Text.query(name)
          + (shard.isEmpty() ? "" : "&shard=" + shard);
    }
  }

  /**
   * Reads the page.
   *
   * @param frame what surrounds it
   * @param source the runtime
   * @param done what was done just before; null for nothing
   * @return the page
   * @throws PageException if the runtime does not answer
   */
  public static EventsPage read(PageFrame frame, Source source, @Nullable String done) {
    Source.Result found =
        source.ask(OperatorRequest.of("consumers").with("limit", (long) LINES), LINES);
    return new EventsPage(
        frame, found.answers().stream().map(EventsPage::line).toList(), found.note(), done);
  }

  private static Line line(Map<String, @Nullable Object> each) {
    long millis = each.get("lagMillis") instanceof Number number ? number.longValue() : 0;
    boolean isRunning = Boolean.TRUE.equals(each.get("isRunning"));
    return new Line(
        Text.of(each.get("topic")),
        Text.of(each.get("name")),
        each.get("shard") == null ? "" : Text.of(each.get("shard")),
        isRunning,
        Boolean.TRUE.equals(each.get("isCutOff")) ? "cut off" : isRunning ? "runs" : "does not run",
        Text.of(each.get("position")),
        Text.number(each.get("lagRecords")),
        (String) each.get("waitingSince"),
        millis == 0 ? "-" : Text.duration(millis * 1e6),
        Text.number(each.get("handledEvents")),
        Text.number(each.get("failedDeliveries")));
  }
}
