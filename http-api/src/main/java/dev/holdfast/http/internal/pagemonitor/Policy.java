package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.sql.SqlRow;
import tools.jackson.databind.node.ObjectNode;

/**
 * A content security policy.
 *
 * @param id its identifier
 * @param description for people
 * @param action {@code log}, {@code allow} or {@code add_reporting_directives}
 * @param expression the requests to which it applies, as sent
 * @param enabled whether it has any effect
 * @param enabledAsText whether {@code enabled} was sent as a string, and so is returned as one
 * @param value the directives, as sent; without effect for the third action, which makes the
 *     browser report what the response's own policies do not allow
 */
record Policy(
    String id,
    String description,
    String action,
    String expression,
    boolean enabled,
    boolean enabledAsText,
    String value) {

  static final String ADD_REPORTING_DIRECTIVES = "add_reporting_directives";

  static Policy read(SqlRow row) {
    return new Policy(
        ZoneStore.text(row, "id"),
        ZoneStore.text(row, "description"),
        ZoneStore.text(row, "action"),
        ZoneStore.text(row, "expression"),
        row.getLong("enabled") != 0,
        row.getLong("enabled_as_text") != 0,
        ZoneStore.text(row, "value"));
  }

  ObjectNode toJson() {
    ObjectNode tree =
        Json.object()
            .put("id", id)
            .put("description", description)
            .put("action", action)
            .put("expression", expression);
    if (enabledAsText) {
      tree.put("enabled", Boolean.toString(enabled));
    } else {
      tree.put("enabled", enabled);
    }
    return tree.put("value", value);
  }
}
