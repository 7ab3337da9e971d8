package dev.holdfast.http.internal.store;

import dev.holdfast.http.internal.json.Json;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;

/**
 * The rows that a list wants: the text after WHERE, with its parameters. Lists of values are one
 * parameter each, as JSON, so their number is not bounded by the length of a statement. Confined to
 * a call.
 */
public final class Selection {

  private final StringBuilder where;
  private final List<@Nullable Object> bindings = new ArrayList<>();

  /**
   * Begins with a condition.
   *
   * @param condition SQL
   * @param values its parameters
   */
  public Selection(String condition, Object... values) {
    where = new StringBuilder(condition);
    bindings.addAll(List.of(values));
  }

  /** {@return the text after WHERE} */
  public String where() {
    return where.toString();
  }

  /** {@return the parameters of {@link #where}} */
  public @Nullable Object[] bindings() {
    return bindings.toArray();
  }

  /**
   * {@return the parameters, followed by more}
   *
   * @param more for what follows the condition
   */
  public @Nullable Object[] bindings(List<?> more) {
    List<@Nullable Object> all = new ArrayList<>(bindings);
    all.addAll(more);
    return all.toArray();
  }

  /**
   * Requires one more condition.
   *
   * @param condition SQL
   * @param values its parameters
   */
  public void and(String condition, Object... values) {
    where.append(" AND ").append(condition);
    bindings.addAll(List.of(values));
  }

  /**
   * Requires one more condition if a value is given.
   *
   * @param condition SQL with one parameter
   * @param value its parameter; null for no condition
   */
  public void andIf(String condition, @Nullable Object value) {
    if (value != null) {
      and(condition, value);
    }
  }

  /**
   * Requires one of some values.
   *
   * @param text SQL of the value
   * @param values the wanted values
   */
  public void in(String text, Collection<String> values) {
    and(text + " IN (SELECT value FROM json_each(?))", json(values));
  }

  /**
   * Requires that a text matches one of some patterns, in which a star at either end stands for any
   * text; no pattern matches everything.
   *
   * @param texts SQL of a query for the texts, of which one has to match, as a column {@code t}
   * @param patterns the patterns
   */
  public void matches(String texts, List<String> patterns) {
    if (patterns.isEmpty()) {
      return;
    }
    List<String> equal = new ArrayList<>();
    List<String> begin = new ArrayList<>();
    List<String> end = new ArrayList<>();
    List<String> inside = new ArrayList<>();
    for (String pattern : patterns) {
      boolean isOpen = pattern.startsWith("*");
      boolean isOpenEnd = pattern.length() > 1 && pattern.endsWith("*");
      List<String> kind = isOpen ? (isOpenEnd ? inside : end) : isOpenEnd ? begin : equal;
      kind.add(pattern.substring(isOpen ? 1 : 0, pattern.length() - (isOpenEnd ? 1 : 0)));
    }
    and(
        "EXISTS (SELECT 1 FROM ("
            + texts
            + ") WHERE t IN (SELECT value FROM json_each(?))"
            + " OR EXISTS (SELECT 1 FROM json_each(?) WHERE substr(t, 1, length(value)) = value)"
            + " OR EXISTS (SELECT 1 FROM json_each(?)"
            + " WHERE value = '' OR substr(t, -length(value)) = value)"
            + " OR EXISTS (SELECT 1 FROM json_each(?) WHERE instr(t, value) > 0))",
        json(equal),
        json(begin),
        json(end),
        json(inside));
  }

  /**
   * {@return a parameter for {@code json_each}}
   *
   * @param values the values
   */
  public static String json(Collection<String> values) {
    ArrayNode array = Json.array();
    values.forEach(array::add);
    return Json.write(array);
  }
}
