package dev.holdfast.operator;

import dev.holdfast.SqlException;
import dev.holdfast.operator.OperatorException.Reason;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.SqlRows;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.StoreTurn.SqlTerms;
import dev.holdfast.spi.inspect.Inspection;
import dev.holdfast.sql.SqlLimits;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The operations that read an object by SQL. The engine refuses what would write. Thread-safe. */
final class SqlReads {

  private static final @Nullable Object[] NO_BINDINGS = {};

  /** The code of a statement that is refused because it would write. */
  private static final int SQLITE_READONLY = 8;

  /** Each takes a statement that counts its rows. */
  static final int TABLES_MAX = 200;

  private static final SqlTerms READING = new SqlTerms(UnaryOperator.identity(), false);
  private static final SqlTerms FOREIGN = new SqlTerms(_ -> SqlLimits.FOREIGN, false);

  /** For statements of ours, whose rows may have any value: its memory is bounded all the same. */
  private static final SqlTerms OWN =
      new SqlTerms(
          limits ->
              SqlLimits.FOREIGN
                  .withValueBytesMax(limits.valueBytesMax())
                  .withColumnsMax(limits.columnsMax())
                  .withExpressionDepthMax(limits.expressionDepthMax())
                  .withParametersMax(limits.parametersMax()),
          false);

  private final Inspection inspection;
  private final Addresses addresses;

  SqlReads(Inspection inspection, Addresses addresses) {
    this.inspection = inspection;
    this.addresses = addresses;
  }

  @Nullable String sql(OperatorRequest request, Answers answers) {
    ObjectKey key = addresses.existing(request);
    String query = request.text("sql");
    int limit = request.limit(ObjectReads.ENTRIES_DEFAULT, Integer.MAX_VALUE);
    boolean isForeign = request.isSet("foreign");
    SqlTerms terms = isForeign ? FOREIGN : READING;
    List<String> plan = new ArrayList<>();
    Rows rows =
        inspection.read(
            key,
            turn -> {
              if (isForeign) {
                plan.addAll(plan(turn, query));
              }
              try (SqlRows result = turn.exec(query, NO_BINDINGS, terms)) {
                return Rows.of(result, limit);
              } catch (SqlException e) {
                throw e.resultCode() == SQLITE_READONLY
                    ? new OperatorException(Reason.WRONG_REQUEST, String.valueOf(e.getMessage()), e)
                    : e;
              }
            });
    Map<String, @Nullable Object> columns = new LinkedHashMap<>();
    columns.put("columns", rows.columns());
    if (isForeign) {
      columns.put("plan", plan);
      columns.put("rowsRead", rows.read());
    }
    rows.answer(columns, answers);
    return rows.more() ? "There are more rows; ask for more with --limit, or add OFFSET." : null;
  }

  /** {@return the query plan, indented as its parts are nested; empty if the text has none} */
  private static List<String> plan(StoreTurn turn, String query) {
    if (query.strip().split("\\W", 2)[0].toUpperCase(Locale.ROOT).equals("EXPLAIN")) {
      return List.of();
    }
    List<String> plan = new ArrayList<>();
    Map<@Nullable Object, Integer> depths = new HashMap<>();
    try (SqlRows rows = turn.exec("EXPLAIN QUERY PLAN " + query, NO_BINDINGS, FOREIGN)) {
      for (@Nullable Object @Nullable [] row = rows.next();
          row != null && plan.size() < ObjectReads.ENTRIES_DEFAULT;
          row = rows.next()) {
        int depth = depths.getOrDefault(row[1], -1) + 1;
        depths.put(row[0], depth);
        plan.add("  ".repeat(Math.min(depth, 20)) + row[3]);
      }
    } catch (SqlException e) {
      return List.of(); // the statement itself says what is wrong
    }
    return plan;
  }

  private record Rows(
      List<String> columns, List<List<@Nullable Object>> rows, boolean more, long read) {

    static Rows of(SqlRows result, int limit) {
      List<List<@Nullable Object>> rows = new ArrayList<>();
      long bytes = 0;
      boolean more = false;
      for (@Nullable Object @Nullable [] row = result.next(); row != null; row = result.next()) {
        if (rows.size() >= limit || bytes > ObjectReads.BYTES_MAX) {
          more = true;
          break;
        }
        bytes += SqlRows.bytesOf(row);
        rows.add(Arrays.asList(row));
      }
      return new Rows(result.columnNames(), rows, more, result.rowsRead());
    }

    void answer(Map<String, @Nullable Object> first, Answers answers) {
      answers.add(first);
      for (List<@Nullable Object> row : rows) {
        Map<String, @Nullable Object> answer = new LinkedHashMap<>();
        answer.put("row", row);
        answers.add(answer);
      }
    }
  }

  // ---- Tables -------------------------------------------------------------------------------

  /**
   * {@return the tables of an object with their numbers of rows}
   *
   * @param countMax how many rows of each are counted; {@code more} says whether there are others,
   *     and at most one table more than {@link #TABLES_MAX} is read. {@code Long.MAX_VALUE} for all
   */
  static List<Map<String, @Nullable Object>> tables(StoreTurn turn, long countMax) {
    List<Map<String, @Nullable Object>> tables = new ArrayList<>();
    String query =
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_cf\\_%' ESCAPE"
            + " '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name";
    boolean isBounded = countMax < Long.MAX_VALUE;
    for (List<@Nullable Object> each :
        all(turn, isBounded ? query + " LIMIT " + (TABLES_MAX + 1) : query)) {
      String name = String.valueOf(each.getFirst());
      String count =
          isBounded
              ? "SELECT count(*) FROM (SELECT 1 FROM "
                  + quoted(name)
                  + " LIMIT "
                  + (countMax + 1)
                  + ")"
              : "SELECT count(*) FROM " + quoted(name);
      long rows = ((Number) all(turn, count).getFirst().getFirst()).longValue();
      Map<String, @Nullable Object> table = new LinkedHashMap<>();
      table.put("name", name);
      table.put("rows", Math.min(rows, countMax));
      if (isBounded) {
        table.put("more", rows > countMax);
      }
      tables.add(table);
    }
    return tables;
  }

  private static List<List<@Nullable Object>> all(StoreTurn turn, String query) {
    try (SqlRows rows = turn.exec(query, NO_BINDINGS)) {
      return Rows.of(rows, Integer.MAX_VALUE).rows();
    }
  }

  static String quoted(String name) {
    return "\"" + name.replace("\"", "\"\"") + "\"";
  }

  @Nullable String table(OperatorRequest request, Answers answers) {
    ObjectKey key = addresses.existing(request);
    String name = request.text("table");
    TablePage page =
        new TablePage(
            name,
            request.textOrNull("sort"),
            request.isSet("descending"),
            request.textOrNull("after"));
    int limit = request.limit(ObjectReads.ENTRIES_DEFAULT, ObjectReads.ENTRIES_DEFAULT);
    boolean isSchemaOnly = request.isSet("schema");
    List<Map<String, @Nullable Object>> read =
        inspection.read(key, turn -> page.read(turn, OWN, isSchemaOnly ? 0 : limit));
    read.forEach(answers::add);
    return null;
  }
}
