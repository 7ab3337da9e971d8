package dev.holdfast.http.internal.migration;

import dev.holdfast.http.firewall.object.PreviousSearch;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.store.Selection;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.Found;
import dev.holdfast.http.object.PageRange;
import dev.holdfast.http.object.RefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Lists of the previous managed rules, by filters, order and page. */
final class LegacyList {

  private record Item(String value) {}

  private LegacyList() {}

  /** {@return a condition for all items of an array} */
  static Selection of(JsonNode array) {
    return new Selection("true", Json.write(array));
  }

  /**
   * {@return the wanted items of a list}
   *
   * @param of all items of an array
   * @param fields the fields for filters and for the order
   */
  static Found<String> find(
      ZoneStore store,
      Selection of,
      PreviousSearch search,
      List<String> fields,
      PageRange page,
      UnaryOperator<ObjectNode> shown) {
    List<String> conditions = new ArrayList<>();
    List<Object> values = new ArrayList<>();
    for (String field : fields) {
      String value = search.equal().get(field);
      if (value != null) {
        conditions.add(text(field) + " = ?");
        values.add(value);
      }
    }
    if (!conditions.isEmpty()) {
      String joined = String.join(search.isAny() ? " OR " : " AND ", conditions);
      of.and("(" + joined + ")", values.toArray());
    }
    String by = search.orderBy();
    if (by != null && !fields.contains(by)) {
      throw RefusedException.badParameter("order", "one of " + String.join(", ", fields));
    }
    String direction = search.isDescending() ? " desc" : " asc";
    String order = by == null ? "key" : order(by) + direction + ", key";
    Found<Item> found = store.page("json_each(?)", of, order, page, Item.class);
    return new Found<>(
        found.items().stream()
            .map(item -> Json.write((JsonNode) shown.apply(Json.readObject(item.value()))))
            .toList(),
        page,
        found.totalCount());
  }

  /** Returns a member as lists are ordered by it. */
  private static String order(String field) {
    return field.equals("rules_count") ? "value ->> '$.rules_count'" : text(field);
  }

  /** Returns a member as clients read it. */
  private static String text(String field) {
    String otherwise = field.equals("priority") ? "0" : "";
    return "coalesce(CAST(value ->> '$.%s' AS TEXT), '%s')".formatted(field, otherwise);
  }
}
