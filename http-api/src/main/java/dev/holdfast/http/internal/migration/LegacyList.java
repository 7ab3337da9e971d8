package dev.holdfast.http.internal.migration;

import dev.holdfast.http.internal.call.Query;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.store.Selection;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.ZoneReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Lists of the previous managed rules, by the requested filters, order and page. */
final class LegacyList {

  private static final int PAGE_SIZE = 50;

  private record Item(String value) {}

  private LegacyList() {}

  /** {@return a condition for all items of an array} */
  static Selection of(JsonNode array) {
    return new Selection("true", Json.write(array));
  }

  /**
   * Answers a list.
   *
   * @param wanted of the items of an array
   * @param fields the fields for filters, with {@code match} all or any, and for the order
   */
  static ZoneReply answer(
      ZoneStore store,
      Query query,
      Selection wanted,
      List<String> fields,
      UnaryOperator<ObjectNode> shown) {
    boolean any = query.word("match", Set.of("all", "any"), "all").equals("any");
    List<String> conditions = new ArrayList<>();
    List<Object> values = new ArrayList<>();
    for (String field : fields) {
      String value = query.text(field);
      if (value != null) {
        conditions.add(text(field) + " = ?");
        values.add(value);
      }
    }
    if (!conditions.isEmpty()) {
      wanted.and("(" + String.join(any ? " OR " : " AND ", conditions) + ")", values.toArray());
    }
    String by = query.word("order", Set.copyOf(fields));
    String direction = by == null ? "asc" : query.word("direction", Set.of("asc", "desc"), "asc");
    return store.page(
        "json_each(?)",
        wanted,
        by == null ? "key" : order(by) + " " + direction + ", key",
        query.page(5, PAGE_SIZE),
        Item.class,
        item -> shown.apply(Json.readObject(item.value())));
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
