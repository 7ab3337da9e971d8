package dev.holdfast.http.internal.firewall;

import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.sql.SqlRow;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * An expression with an identifier, for rules to share.
 *
 * @param id its identifier
 * @param expression the expression
 * @param paused whether it matches nothing at present
 * @param description for people; null if none was given
 * @param ref the client's own identifier; null if none was given
 */
record Filter(
    String id,
    String expression,
    boolean paused,
    @Nullable String description,
    @Nullable String ref) {

  static Filter read(SqlRow row) {
    return new Filter(
        ZoneStore.text(row, "id"),
        ZoneStore.text(row, "expression"),
        row.getLong("paused") != 0,
        row.getString("description"),
        row.getString("ref"));
  }

  ObjectNode toJson() {
    ObjectNode tree =
        Json.object().put("id", id).put("expression", expression).put("paused", paused);
    if (description != null) {
      tree.put("description", description);
    }
    if (ref != null) {
      tree.put("ref", ref);
    }
    return tree;
  }
}
