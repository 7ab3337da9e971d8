package dev.holdfast.console.past;

import dev.holdfast.console.page.OneObject;
import dev.holdfast.console.page.PageException;
import dev.holdfast.console.page.PageFrame;
import dev.holdfast.console.page.Source;
import dev.holdfast.console.page.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The past of an object: its time line, its changes, newest first, and what differs between two
 * moments. Immutable.
 *
 * @param frame what surrounds it
 * @param address which object
 * @param line its time line
 * @param changes a page of its changes
 * @param next the change from which the next page begins; null on the last one
 * @param state the first of two moments; null if none was chosen
 * @param other the second one; null for the present
 * @param comparison what differs between them; null if none were chosen
 */
public record TimePage(
    PageFrame frame,
    OneObject.Address address,
    TimeLine line,
    List<Change> changes,
    @Nullable String next,
    @Nullable String state,
    @Nullable String other,
    @Nullable DifferenceTable comparison) {

  private static final int CHANGES = 50;

  /**
   * What a page is asked for.
   *
   * @param from the change with which the list begins; null for the newest of the span
   * @param since the first time of the time line; null for all
   * @param until the last one
   * @param state a moment, a bookmark or a time in UTC; null for none
   * @param other another one; null for the present
   */
  public record Wanted(
      @Nullable String from,
      @Nullable String since,
      @Nullable String until,
      @Nullable String state,
      @Nullable String other) {}

  /**
   * A change.
   *
   * @param bookmark the state after it
   * @param before the state before it; null if it is not in the list
   * @param time when it was made
   * @param kind its kind
   * @param bytes its size in the journal
   */
  public record Change(
      String bookmark, @Nullable String before, String time, String kind, String bytes) {}

  /**
   * Reads the page.
   *
   * @param frame what surrounds it
   * @param source the runtime
   * @param address which object
   * @param wanted what is shown
   * @return the page
   * @throws PageException if the namespace keeps no history, or the runtime does not answer
   */
  public static TimePage read(
      PageFrame frame, Source source, OneObject.Address address, Wanted wanted) {
    TimeLine line = TimeLine.read(source, address.ask("timeline"), wanted.since(), wanted.until());
    String first = wanted.from() != null ? wanted.from() : line.newest();
    List<Map<String, @Nullable Object>> answers =
        first == null
            ? List.of()
            : source
                .ask(
                    address.ask("history").with("from", first).with("limit", CHANGES + 1L),
                    CHANGES + 1)
                .answers();
    List<Change> changes = new ArrayList<>();
    for (int each = 0; each < Math.min(answers.size(), CHANGES); each++) {
      Map<String, @Nullable Object> answer = answers.get(each);
      changes.add(
          new Change(
              Text.of(answer.get("bookmark")),
              each + 1 < answers.size() ? Text.of(answers.get(each + 1).get("bookmark")) : null,
              Text.of(answer.get("time")),
              Text.of(answer.get("kind")),
              Text.bytes(answer.get("bytes"))));
    }
    return new TimePage(
        frame,
        address,
        line,
        List.copyOf(changes),
        answers.size() > CHANGES ? Text.of(answers.getLast().get("bookmark")) : null,
        wanted.state(),
        wanted.other(),
        wanted.state() == null ? null : compared(frame, source, address, wanted));
  }

  private static DifferenceTable compared(
      PageFrame frame, Source source, OneObject.Address address, Wanted wanted) {
    return DifferenceTable.read(
        source,
        address.ask("diff").with("from", wanted.state()).with("to", wanted.other()),
        frame.isRedacted());
  }
}
