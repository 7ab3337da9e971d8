package dev.holdfast.console.past;

import dev.holdfast.console.page.OneObject;
import dev.holdfast.console.page.PageException;
import dev.holdfast.console.page.PageFrame;
import dev.holdfast.console.page.Source;
import dev.holdfast.console.page.Text;
import dev.holdfast.operator.OperatorRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How the journal grows, and by which objects. Immutable.
 *
 * @param frame what surrounds it
 * @param line the records by time
 * @param writers the objects that write most
 * @param note why not all records are counted; null if they are
 */
public record GrowthPage(
    PageFrame frame, TimeLine line, List<Writer> writers, @Nullable String note) {

  private static final int WRITERS = 20;

  /**
   * An object that writes.
   *
   * @param address the object
   * @param shown its name, or its id
   * @param changes how many records it has
   * @param bytes how large they are
   */
  public record Writer(OneObject.Address address, String shown, String changes, String bytes) {}

  /**
   * Reads the page.
   *
   * @param frame what surrounds it
   * @param source the runtime
   * @param since the first time; null for all
   * @param until the last time
   * @return the page
   * @throws PageException if the runtime does not answer
   */
  public static GrowthPage read(
      PageFrame frame, Source source, @Nullable String since, @Nullable String until) {
    TimeLine line = TimeLine.read(source, OperatorRequest.of("timeline"), since, until);
    Source.Result found =
        source.ask(
            OperatorRequest.of("writers")
                .with("since", line.since() == null ? null : line.since().toString())
                .with("limit", (long) WRITERS),
            WRITERS);
    List<Writer> writers = new ArrayList<>();
    for (Map<String, @Nullable Object> each : found.answers()) {
      String id = Text.of(each.get("id"));
      writers.add(
          new Writer(
              new OneObject.Address(Text.of(each.get("namespace")), id, null),
              each.get("name") == null ? id : Text.of(each.get("name")),
              Text.number(each.get("changes")),
              Text.bytes(each.get("bytes"))));
    }
    return new GrowthPage(
        frame, line, List.copyOf(writers), line.note() == null ? found.note() : line.note());
  }
}
