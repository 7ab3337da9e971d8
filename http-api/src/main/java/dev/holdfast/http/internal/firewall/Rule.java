package dev.holdfast.http.internal.firewall;

import dev.holdfast.http.firewall.FirewallAction;
import dev.holdfast.http.internal.json.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A firewall rule.
 *
 * @param id its identifier
 * @param paused whether it has no effect at present
 * @param action its action
 * @param priority lower values come earlier; null for last
 * @param description for people; null if none was given
 * @param ref the client's own identifier; null if none was given
 * @param filterId the filter that selects its requests
 * @param products the products that it bypasses, separated by commas; empty for other actions
 */
record Rule(
    String id,
    boolean paused,
    FirewallAction action,
    @Nullable Long priority,
    @Nullable String description,
    @Nullable String ref,
    String filterId,
    String products) {

  static List<String> products(String joined) {
    return joined.isEmpty() ? List.of() : List.of(joined.split(",", -1));
  }

  ObjectNode toJson(Filter filter) {
    ObjectNode tree = Json.tree(this).put("priority", priority);
    tree.remove(List.of("filter_id", "products"));
    if (!products.isEmpty()) {
      ArrayNode list = tree.putArray("products");
      products(products).forEach(list::add);
    }
    tree.set("filter", Json.tree(filter));
    return tree;
  }
}
