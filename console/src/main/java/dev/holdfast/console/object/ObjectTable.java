package dev.holdfast.console.object;

import dev.holdfast.console.page.AnswerMembers;
import dev.holdfast.console.page.OneObject;
import dev.holdfast.console.page.PageFrame;
import dev.holdfast.console.page.Source;
import dev.holdfast.console.page.Text;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A table of an object: its columns and indexes, and a page of its rows. Immutable.
 *
 * @param frame what surrounds it
 * @param address which object
 * @param table the table
 * @param columns its columns
 * @param indexes its indexes
 * @param rows a page of its rows; none if values are hidden
 * @param sort the column by which they are sorted; null for the key of the table
 * @param isDescending whether the largest comes first
 * @param next where the next page begins; null on the last one
 * @param problem why there are no rows, or no further ones; null if there are
 */
public record ObjectTable(
    PageFrame frame,
    OneObject.Address address,
    String table,
    List<Column> columns,
    List<Index> indexes,
    List<List<String>> rows,
    @Nullable String sort,
    boolean isDescending,
    @Nullable String next,
    @Nullable String problem) {

  private static final int ROWS = 50;

  /**
   * A column.
   *
   * @param name its name
   * @param type its declared type; may be empty
   * @param isRequired whether it is NOT NULL
   * @param isKey whether it is a part of the primary key
   */
  public record Column(String name, String type, boolean isRequired, boolean isKey) {}

  /**
   * An index.
   *
   * @param name its name
   * @param isUnique whether no two rows have the same values
   * @param columns its columns, in their order
   */
  public record Index(String name, boolean isUnique, String columns) {}

  /**
   * Which rows of a table.
   *
   * @param table the table
   * @param sort a column to sort by; null for the key of the table
   * @param isDescending whether the largest comes first
   * @param after where the page before has ended; null for the first page
   */
  public record Wanted(
      String table, @Nullable String sort, boolean isDescending, @Nullable String after) {}

  /**
   * Reads the page.
   *
   * @param frame what surrounds it
   * @param source the runtime
   * @param address which object
   * @param wanted which rows
   * @return the page
   * @throws dev.holdfast.console.page.PageException if there is no such table, the rows cannot be
   *     sorted within the limits of a statement, or the runtime does not answer
   */
  public static ObjectTable read(
      PageFrame frame, Source source, OneObject.Address address, Wanted wanted) {
    Source.Result result =
        source.ask(
            address
                .ask("table")
                .with("table", wanted.table())
                .with("sort", wanted.sort())
                .with("descending", wanted.isDescending())
                .with("after", wanted.after())
                .with("limit", (long) ROWS)
                .with("schema", frame.isRedacted()),
            ROWS + 1);
    Map<String, @Nullable Object> about = result.one();
    return new ObjectTable(
        frame,
        address,
        wanted.table(),
        AnswerMembers.list(about, "columns").stream().map(ObjectTable::column).toList(),
        AnswerMembers.list(about, "indexes").stream().map(ObjectTable::index).toList(),
        result.answers().stream().skip(1).map(StatementRows::cells).toList(),
        wanted.sort(),
        wanted.isDescending(),
        (String) about.get("next"),
        problem(frame, about));
  }

  private static @Nullable String problem(PageFrame frame, Map<String, @Nullable Object> about) {
    if (frame.isRedacted()) {
      return "Values are hidden here, so no rows are shown.";
    }
    return about.get("more") != null && about.get("next") == null
        ? "There are more rows, behind a value that is too long for an address. Sort by another"
            + " column to see them."
        : null;
  }

  private static Column column(Map<?, ?> of) {
    Object key = of.get("primaryKey");
    return new Column(
        Text.of(of.get("name")),
        Text.of(of.get("type")),
        Boolean.TRUE.equals(of.get("notNull")),
        key instanceof Number number && number.longValue() > 0);
  }

  private static Index index(Map<?, ?> of) {
    String columns =
        of.get("columns") instanceof List<?> names
            ? String.join(", ", names.stream().map(String::valueOf).toList())
            : "-";
    return new Index(Text.of(of.get("name")), Boolean.TRUE.equals(of.get("unique")), columns);
  }
}
