package dev.holdfast.operator;

import dev.holdfast.operator.OperatorException.Reason;
import dev.holdfast.spi.SqlRows;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.StoreTurn.SqlTerms;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A page of the rows of a table. Pages follow each other by the values of the last row, not by
 * counts: rows that come and go meanwhile move no other row to another page. Immutable.
 *
 * @param table the table
 * @param sort a column to sort by; null for the key of the table
 * @param isDescending whether the largest comes first
 * @param after where the page before has ended; null for the first page
 */
record TablePage(
    String table, @Nullable String sort, boolean isDescending, @Nullable String after) {

  private static final @Nullable Object[] NO_BINDINGS = {};

  /** What the rows of a page may hold: the turn keeps them in memory. */
  private static final long BYTES_MAX = 16L << 20;

  private static final int CURSOR_CHARS_MAX = 4_000;
  private static final int INDEXES_MAX = 100;
  private static final Base64.Encoder TEXT = Base64.getUrlEncoder().withoutPadding();

  /**
   * Reads the page.
   *
   * @param limit how many rows; 0 for the columns and indexes only
   * @return first what the table is, and {@code next}, the end of the page if there are more rows;
   *     then the rows
   */
  List<Map<String, @Nullable Object>> read(StoreTurn turn, SqlTerms terms, int limit) {
    List<List<@Nullable Object>> columns = pragma(turn, "table_xinfo", table);
    List<List<@Nullable Object>> lists =
        pragma(turn, "table_list", table).stream()
            .filter(each -> !"view".equals(each.get(2)) && "main".equals(each.getFirst()))
            .toList();
    if (columns.isEmpty() || lists.isEmpty()) {
      throw new OperatorException(Reason.FAILED, "The object has no table \"" + table + "\".");
    }
    columns.removeIf(each -> Long.valueOf(1).equals(each.get(6))); // hidden, of virtual tables
    Map<String, @Nullable Object> about = new LinkedHashMap<>();
    about.put("table", table);
    about.put("columns", columns.stream().map(TablePage::column).toList());
    about.put("indexes", indexes(turn));
    List<Map<String, @Nullable Object>> answers = new ArrayList<>();
    answers.add(about);
    if (limit > 0) {
      boolean hasRowId = Long.valueOf(0).equals(lists.getFirst().get(4));
      rows(turn, terms, limit, keys(columns, hasRowId), names(columns), answers);
    }
    return answers;
  }

  private static Map<String, @Nullable Object> column(List<@Nullable Object> info) {
    Map<String, @Nullable Object> column = new LinkedHashMap<>();
    column.put("name", info.get(1));
    column.put("type", info.get(2));
    column.put("notNull", Long.valueOf(1).equals(info.get(3)));
    column.put("primaryKey", info.get(5));
    return column;
  }

  private List<Map<String, @Nullable Object>> indexes(StoreTurn turn) {
    List<Map<String, @Nullable Object>> indexes = new ArrayList<>();
    for (List<@Nullable Object> each : pragma(turn, "index_list", table)) {
      if (indexes.size() < INDEXES_MAX) {
        String name = String.valueOf(each.get(1));
        Map<String, @Nullable Object> index = new LinkedHashMap<>();
        index.put("name", name);
        index.put("unique", Long.valueOf(1).equals(each.get(2)));
        index.put(
            "columns",
            pragma(turn, "index_info", name).stream()
                .map(part -> part.get(2) == null ? "(expression)" : part.get(2))
                .toList());
        indexes.add(index);
      }
    }
    return indexes;
  }

  private static List<List<@Nullable Object>> pragma(StoreTurn turn, String name, String of) {
    List<List<@Nullable Object>> found = new ArrayList<>();
    String statement = "PRAGMA " + name + "(" + SqlReads.quoted(of) + ")";
    try (SqlRows rows = turn.exec(statement, NO_BINDINGS)) {
      for (@Nullable Object @Nullable [] row = rows.next(); row != null; row = rows.next()) {
        found.add(Arrays.asList(row));
      }
    }
    return found;
  }

  private static List<String> names(List<List<@Nullable Object>> columns) {
    return columns.stream().map(each -> String.valueOf(each.get(1))).toList();
  }

  /** {@return what identifies a row, as SQL: the row id, or the primary key} */
  private static List<String> keys(List<List<@Nullable Object>> columns, boolean hasRowId) {
    if (hasRowId) {
      List<String> taken =
          names(columns).stream().map(each -> each.toLowerCase(Locale.ROOT)).toList();
      return Stream.of("rowid", "_rowid_", "oid")
          .filter(each -> !taken.contains(each))
          .limit(1)
          .toList();
    }
    return columns.stream()
        .filter(each -> !Long.valueOf(0).equals(each.get(5)))
        .sorted((one, other) -> Long.compare(position(one), position(other)))
        .map(each -> SqlReads.quoted(String.valueOf(each.get(1))))
        .toList();
  }

  private static long position(List<? extends @Nullable Object> column) {
    return column.get(5) instanceof Long number ? number : 0;
  }

  private void rows(
      StoreTurn turn,
      SqlTerms terms,
      int limit,
      List<String> keys,
      List<String> columns,
      List<Map<String, @Nullable Object>> answers) {
    if (keys.isEmpty()) {
      throw new OperatorException(
          Reason.FAILED, "The rows of \"" + table + "\" have no key; use sql.");
    }
    if (sort != null && !columns.contains(sort)) {
      throw new OperatorException(
          Reason.WRONG_REQUEST, "The table \"" + table + "\" has no column \"" + sort + "\".");
    }
    List<String> order = new ArrayList<>();
    if (sort != null) {
      order.add(SqlReads.quoted(sort));
    }
    order.addAll(keys);
    List<@Nullable Object> last = after == null ? List.of() : values(after, order.size());
    List<@Nullable Object> bindings = new ArrayList<>();
    String direction = isDescending ? " DESC" : "";
    String statement =
        "SELECT "
            + Stream.concat(order.stream(), columns.stream().map(SqlReads::quoted))
                .collect(Collectors.joining(", "))
            + " FROM "
            + SqlReads.quoted(table)
            + (last.isEmpty() ? "" : " WHERE " + condition(order, last, bindings))
            + " ORDER BY "
            + order.stream().map(each -> each + direction).collect(Collectors.joining(", "))
            + " LIMIT "
            + (limit + 1);
    try (SqlRows rows = turn.exec(statement, bindings.toArray(), terms)) {
      long bytes = 0;
      List<@Nullable Object> end = List.of();
      for (@Nullable Object @Nullable [] row = rows.next(); row != null; row = rows.next()) {
        if (answers.size() > limit || bytes > BYTES_MAX) {
          String next = cursor(end);
          answers.getFirst().put("next", next.length() > CURSOR_CHARS_MAX ? null : next);
          answers.getFirst().put("more", true);
          return;
        }
        bytes += SqlRows.bytesOf(row);
        List<@Nullable Object> all = Arrays.asList(row);
        end = all.subList(0, order.size());
        Map<String, @Nullable Object> answer = new LinkedHashMap<>();
        answer.put("row", new ArrayList<>(all.subList(order.size(), all.size())));
        answers.add(answer);
      }
    }
  }

  /**
   * {@return that a row comes after the last one; the keys are never null, the sorted column may
   * be}
   */
  private String condition(
      List<String> order, List<@Nullable Object> last, List<@Nullable Object> bindings) {
    int first = sort == null ? 0 : 1;
    List<String> keys = order.subList(first, order.size());
    String beyond =
        "("
            + String.join(", ", keys)
            + (isDescending ? ") < (" : ") > (")
            + String.join(", ", Collections.nCopies(keys.size(), "?"))
            + ")";
    List<@Nullable Object> keyValues = last.subList(first, last.size());
    if (sort == null) {
      bindings.addAll(keyValues);
      return beyond;
    }
    String column = order.getFirst();
    Object value = last.getFirst();
    if (value == null) {
      bindings.addAll(keyValues);
      String nullToo = "(" + column + " IS NULL AND " + beyond + ")";
      return isDescending ? nullToo : nullToo + " OR " + column + " IS NOT NULL";
    }
    bindings.add(value);
    bindings.addAll(keyValues);
    bindings.add(value);
    return "("
        + column
        + " = ? AND "
        + beyond
        + ") OR "
        + column
        + (isDescending ? " < ? OR " + column + " IS NULL" : " > ?");
  }

  // ---- Where a page ends --------------------------------------------------------------------

  private static String cursor(List<@Nullable Object> values) {
    return values.stream()
        .map(
            value ->
                switch (value) {
                  case null -> "n";
                  case Long number -> "i" + number;
                  case Double number -> "d" + Double.doubleToLongBits(number);
                  case byte[] blob -> "b" + TEXT.encodeToString(blob);
                  default ->
                      "t" + TEXT.encodeToString(value.toString().getBytes(StandardCharsets.UTF_8));
                })
        .collect(Collectors.joining("."));
  }

  private static List<@Nullable Object> values(String cursor, int count) {
    List<@Nullable Object> values = new ArrayList<>();
    try {
      for (String each : cursor.split("\\.", -1)) {
        String text = each.substring(1);
        values.add(
            switch (each.charAt(0)) {
              case 'n' -> null;
              case 'i' -> Long.valueOf(text);
              case 'd' -> Double.longBitsToDouble(Long.parseLong(text));
              case 'b' -> Base64.getUrlDecoder().decode(text);
              default -> new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
            });
      }
    } catch (IllegalArgumentException | StringIndexOutOfBoundsException e) {
      values.clear();
    }
    if (values.size() != count) {
      throw new OperatorException(
          Reason.WRONG_REQUEST, "Not the end of a page of this order; begin with the first page.");
    }
    return values;
  }
}
