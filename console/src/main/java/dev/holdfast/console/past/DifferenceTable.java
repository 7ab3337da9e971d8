package dev.holdfast.console.past;

import dev.holdfast.console.page.PageException;
import dev.holdfast.console.page.Source;
import dev.holdfast.console.page.Text;
import dev.holdfast.console.page.ValueText;
import dev.holdfast.operator.OperatorRequest;
import dev.holdfast.operator.value.ValueTree;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What differs between two states. Immutable.
 *
 * @param differences the first keys, rows and alarms that differ
 * @param note that there are more, or why there is none; null for neither
 */
public record DifferenceTable(List<Difference> differences, @Nullable String note) {

  private static final int DIFFERENCES = 200;
  static final int VALUE_CHARS_MAX = 1_000;
  private static final String HIDDEN = "hidden";

  /**
   * A key, a row or an alarm that differs.
   *
   * @param kind how it differs
   * @param table the table of the row; of others what they are, such as alarms
   * @param key the key
   * @param before the old value; a dash without one
   * @param after the new value; a dash without one
   */
  public record Difference(String kind, String table, String key, String before, String after) {}

  static DifferenceTable read(Source source, OperatorRequest request, boolean isRedacted) {
    try {
      Source.Result found = source.ask(request.with("limit", (long) DIFFERENCES), DIFFERENCES);
      return of(found.answers(), found.note(), isRedacted);
    } catch (PageException e) {
      return new DifferenceTable(List.of(), String.valueOf(e.getMessage()));
    }
  }

  static DifferenceTable of(
      List<Map<String, @Nullable Object>> answers, @Nullable String note, boolean isRedacted) {
    List<Difference> differences = new ArrayList<>();
    for (Map<String, @Nullable Object> each : answers) {
      String table = table((String) each.get("table"));
      boolean isRow = each.get("table") != null && table.equals(each.get("table"));
      differences.add(
          new Difference(
              Text.of(each.get("kind")),
              table,
              // The key of a row is a value of the row.
              isRedacted && isRow ? HIDDEN : Text.of(each.get("key")),
              value(each.get("before"), isRedacted),
              value(each.get("after"), isRedacted)));
    }
    return new DifferenceTable(
        List.copyOf(differences),
        answers.size() == DIFFERENCES && note != null ? "There are more than are shown." : note);
  }

  private static String table(@Nullable String table) {
    return switch (table) {
      case null -> "keys";
      case "sqlite_schema" -> "schema";
      case "_cf_alarms" -> "alarms";
      default -> table;
    };
  }

  static String value(@Nullable Object value, boolean isRedacted) {
    return switch (value) {
      case null -> "-";
      case Object _ when isRedacted -> HIDDEN;
      case byte[] stored -> ValueText.text(ValueTree.of(stored).tree(), VALUE_CHARS_MAX);
      case Map<?, ?> columns -> {
        Map<String, @Nullable Object> cut = new LinkedHashMap<>();
        columns.forEach((name, each) -> cut.put(String.valueOf(name), each));
        yield ValueText.text(cut, VALUE_CHARS_MAX);
      }
      default -> ValueText.text(value, VALUE_CHARS_MAX);
    };
  }
}
