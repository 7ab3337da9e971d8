package dev.holdfast.http.internal.firewall;

import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.sql.SqlRow;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A firewall rule.
 *
 * @param id its identifier
 * @param filterId the filter that selects its requests
 * @param action its action
 * @param priority lower values come earlier; null for last
 * @param paused whether it has no effect at present
 * @param description for people; null if none was given
 * @param ref the client's own identifier; null if none was given
 * @param products the products that it bypasses; empty for other actions
 */
record Rule(
    String id,
    String filterId,
    Action action,
    @Nullable Long priority,
    boolean paused,
    @Nullable String description,
    @Nullable String ref,
    List<String> products) {

  static Rule read(SqlRow row) {
    String products = ZoneStore.text(row, "products");
    return new Rule(
        ZoneStore.text(row, "id"),
        ZoneStore.text(row, "filter_id"),
        Action.valueOf(ZoneStore.text(row, "action")),
        (Long) row.get("priority"),
        row.getLong("paused") != 0,
        row.getString("description"),
        row.getString("ref"),
        products.isEmpty() ? List.of() : Arrays.asList(products.split(",", -1)));
  }

  ObjectNode toJson(Filter filter) {
    ObjectNode tree =
        Json.object()
            .put("id", id)
            .put("paused", paused)
            .put("action", action.word())
            .put("priority", priority);
    if (description != null) {
      tree.put("description", description);
    }
    if (ref != null) {
      tree.put("ref", ref);
    }
    if (!products.isEmpty()) {
      ArrayNode list = tree.putArray("products");
      products.forEach(list::add);
    }
    tree.set("filter", filter.toJson());
    return tree;
  }
}
