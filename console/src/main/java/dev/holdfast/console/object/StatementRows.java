package dev.holdfast.console.object;

import dev.holdfast.console.page.OneObject;
import dev.holdfast.console.page.PageException;
import dev.holdfast.console.page.PageFrame;
import dev.holdfast.console.page.Source;
import dev.holdfast.console.page.Text;
import dev.holdfast.console.page.ValueText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A statement on an object, and what it has answered. Immutable.
 *
 * @param frame what surrounds it
 * @param address which object
 * @param statement the statement; empty before the first
 * @param columns the names of the columns
 * @param rows the values as texts
 * @param plan the query plan, a line each; indented as its parts are nested
 * @param rowsRead how many rows it has read; a dash before the first statement
 * @param note that there are more rows, or why there is none; null for neither
 */
public record StatementRows(
    PageFrame frame,
    OneObject.Address address,
    String statement,
    List<String> columns,
    List<List<String>> rows,
    List<String> plan,
    String rowsRead,
    @Nullable String note) {

  private static final int ROWS = 200;
  private static final int CELL_CHARS_MAX = 1_000;

  /**
   * Runs a statement that reads, within {@code SqlLimits.FOREIGN}.
   *
   * @param frame what surrounds it
   * @param source the runtime
   * @param address which object
   * @param statement the statement; empty for none
   * @return the page; its note says why a statement was refused
   */
  public static StatementRows read(
      PageFrame frame, Source source, OneObject.Address address, String statement) {
    if (statement.isEmpty()) {
      return empty(frame, address, statement, null);
    }
    Source.Result result;
    try {
      result =
          source.ask(
              address
                  .ask("sql")
                  .with("sql", statement)
                  .with("foreign", true)
                  .with("limit", (long) ROWS),
              ROWS + 1);
    } catch (PageException e) {
      return empty(frame, address, statement, String.valueOf(e.getMessage()));
    }
    Map<String, @Nullable Object> first = result.one();
    return new StatementRows(
        frame,
        address,
        statement,
        texts(first.get("columns")),
        result.answers().stream().skip(1).map(StatementRows::cells).toList(),
        texts(first.get("plan")),
        Text.number(first.get("rowsRead")),
        result.note() == null ? null : "There are more rows; add a LIMIT with an OFFSET.");
  }

  private static StatementRows empty(
      PageFrame frame, OneObject.Address address, String statement, @Nullable String note) {
    return new StatementRows(frame, address, statement, List.of(), List.of(), List.of(), "-", note);
  }

  private static List<String> texts(@Nullable Object of) {
    return of instanceof List<?> texts ? texts.stream().map(String::valueOf).toList() : List.of();
  }

  static List<String> cells(Map<String, @Nullable Object> answer) {
    List<String> row = new ArrayList<>();
    if (answer.get("row") instanceof List<?> cells) {
      for (Object cell : cells) {
        row.add(ValueText.text(cell, CELL_CHARS_MAX));
      }
    }
    return List.copyOf(row);
  }
}
