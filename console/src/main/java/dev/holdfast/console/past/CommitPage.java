package dev.holdfast.console.past;

import dev.holdfast.console.page.OneObject;
import dev.holdfast.console.page.PageException;
import dev.holdfast.console.page.PageFrame;
import dev.holdfast.console.page.Source;
import dev.holdfast.console.page.Text;
import dev.holdfast.operator.OperatorRequest;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One record of the journal, and what it changed. Immutable.
 *
 * @param frame what surrounds it
 * @param position its position
 * @param address its object; null if it has none
 * @param shown the name of the object, or its id
 * @param time when it was written
 * @param kind its kind
 * @param bytes its size
 * @param previous the position of the change of the object before it; 0 if there is none
 * @param comparison what it changed
 */
public record CommitPage(
    PageFrame frame,
    long position,
    OneObject.@Nullable Address address,
    String shown,
    String time,
    String kind,
    String bytes,
    long previous,
    DifferenceTable comparison) {

  private static final int DIFFERENCES = 200;

  /**
   * Reads the page.
   *
   * @param frame what surrounds it
   * @param source the runtime
   * @param position the position of the record
   * @return the page
   * @throws PageException if there is no such record, or the runtime does not answer
   */
  public static CommitPage read(PageFrame frame, Source source, long position) {
    Source.Result found =
        source.ask(
            OperatorRequest.of("commit")
                .with("position", position)
                .with("limit", (long) DIFFERENCES),
            DIFFERENCES + 1);
    Map<String, @Nullable Object> record = found.one();
    String namespace = Text.of(record.get("namespace"));
    String id = Text.of(record.get("id"));
    return new CommitPage(
        frame,
        position,
        namespace.isEmpty() ? null : new OneObject.Address(namespace, id, null),
        record.get("name") == null ? id : Text.of(record.get("name")),
        Text.of(record.get("time")),
        Text.of(record.get("kind")),
        Text.bytes(record.get("bytes")),
        record.get("previous") instanceof Long previous ? previous : 0,
        DifferenceTable.of(
            found.answers().subList(1, found.answers().size()), found.note(), frame.isRedacted()));
  }
}
