package dev.holdfast.console.past;

import dev.holdfast.console.page.AnswerMembers;
import dev.holdfast.console.page.OneObject;
import dev.holdfast.console.page.PageException;
import dev.holdfast.console.page.PageFrame;
import dev.holdfast.console.page.Source;
import dev.holdfast.console.page.Text;
import dev.holdfast.console.page.ValueText;
import dev.holdfast.operator.OperatorRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An object as it was. Immutable.
 *
 * @param frame what surrounds it
 * @param address which object
 * @param state the moment, as it was asked for
 * @param storage its storage engine
 * @param bytes its size then
 * @param keyCount how many keys it had
 * @param changed when it was last changed before the moment; null if that is not known
 * @param keys a page of its keys
 * @param nextKey the key after which the next page begins; null on the last one
 * @param tables its tables
 * @param alarms its alarms
 * @param table the table that is shown; null for none
 */
public record PastState(
    PageFrame frame,
    OneObject.Address address,
    String state,
    String storage,
    String bytes,
    String keyCount,
    @Nullable String changed,
    List<Key> keys,
    @Nullable String nextKey,
    List<Table> tables,
    List<Alarm> alarms,
    @Nullable Rows table) {

  private static final int KEYS = 50;
  private static final int ROWS = 50;

  /**
   * What of it is shown.
   *
   * @param state a bookmark, or a time in UTC
   * @param prefix the beginning of the keys; null for all
   * @param after the key before the first one; null for the first page
   * @param table the table whose rows are shown; null for none
   * @param rowsAfter the end of the page of rows before; null for the first one
   */
  public record Wanted(
      String state,
      @Nullable String prefix,
      @Nullable String after,
      @Nullable String table,
      @Nullable String rowsAfter) {}

  /**
   * A key and its value.
   *
   * @param key the key
   * @param bytes the size of the stored value
   * @param value the value; cut if it is long
   */
  public record Key(String key, String bytes, String value) {}

  /**
   * A table.
   *
   * @param name its name
   * @param rows how many rows it has
   */
  public record Table(String name, String rows) {}

  /**
   * An alarm.
   *
   * @param name its name; empty for the one without
   * @param state whether it would fire
   * @param due when
   * @param schedule its schedule; a dash without one
   */
  public record Alarm(String name, String state, @Nullable String due, String schedule) {}

  /**
   * Rows of a table.
   *
   * @param name the table
   * @param columns the names of its columns
   * @param rows their values
   * @param next where the next page begins; null on the last one
   */
  public record Rows(
      String name, List<String> columns, List<List<String>> rows, @Nullable String next) {}

  /**
   * Reads the page.
   *
   * @param frame what surrounds it
   * @param source the runtime
   * @param address which object
   * @param wanted what of it
   * @return the page
   * @throws PageException if the moment is not in the history, or the runtime does not answer
   */
  public static PastState read(
      PageFrame frame, Source source, OneObject.Address address, Wanted wanted) {
    Map<String, @Nullable Object> about =
        source.ask(address.ask("object").with("at", wanted.state()), 1).one();
    String state = Text.of(about.get("at"));
    Source.Result listed =
        source.ask(
            address
                .ask("list")
                .with("at", state)
                .with("prefix", wanted.prefix())
                .with("after", wanted.after())
                .with("limit", (long) KEYS),
            KEYS);
    List<Key> keys = new ArrayList<>();
    for (Map<String, @Nullable Object> each : listed.answers()) {
      keys.add(
          new Key(
              Text.of(each.get("key")),
              Text.bytes(each.get("bytes")),
              DifferenceTable.value(each.get("value"), frame.isRedacted())));
    }
    List<Table> tables = new ArrayList<>();
    for (Map<?, ?> each : AnswerMembers.list(about, "tables")) {
      tables.add(new Table(Text.of(each.get("name")), Text.number(each.get("rows"))));
    }
    List<Alarm> alarms = new ArrayList<>();
    for (Map<?, ?> each : AnswerMembers.list(about, "alarms")) {
      alarms.add(
          new Alarm(
              Text.of(each.get("alarm")),
              Text.of(each.get("state")),
              (String) each.get("due"),
              Text.schedule(each.get("schedule"))));
    }
    return new PastState(
        frame,
        address,
        state,
        Text.of(about.get("storage")),
        Text.bytes(about.get("bytes")),
        Text.number(about.get("keys")),
        (String) about.get("changed"),
        List.copyOf(keys),
        listed.note() == null || keys.isEmpty() ? null : keys.getLast().key(),
        List.copyOf(tables),
        List.copyOf(alarms),
        wanted.table() == null || frame.isRedacted()
            ? null
            : rows(source, address.ask("table").with("at", state), wanted));
  }

  private static Rows rows(Source source, OperatorRequest request, Wanted wanted) {
    Source.Result found =
        source.ask(
            request
                .with("table", wanted.table())
                .with("after", wanted.rowsAfter())
                .with("limit", (long) ROWS),
            ROWS + 1);
    List<String> columns = List.of();
    String next = null;
    List<List<String>> rows = new ArrayList<>();
    for (Map<String, @Nullable Object> each : found.answers()) {
      if (each.containsKey("columns")) {
        columns =
            AnswerMembers.list(each, "columns").stream()
                .map(column -> Text.of(column.get("name")))
                .toList();
        next = (String) each.get("next");
      } else if (each.get("row") instanceof List<?> cells) {
        List<String> row = new ArrayList<>();
        cells.forEach(cell -> row.add(ValueText.text(cell, DifferenceTable.VALUE_CHARS_MAX)));
        rows.add(List.copyOf(row));
      }
    }
    return new Rows(Text.of(wanted.table()), columns, List.copyOf(rows), next);
  }
}
