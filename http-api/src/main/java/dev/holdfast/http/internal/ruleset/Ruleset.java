package dev.holdfast.http.internal.ruleset;

import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.sql.SqlRow;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A version of a ruleset.
 *
 * @param id its identifier, the same for all versions
 * @param version from 1
 * @param kind {@code zone} for entry points, {@code custom} for others
 * @param phase its phase
 * @param name its name
 * @param description for people
 * @param lastUpdated when the version was created
 * @param rules in order
 */
record Ruleset(
    String id,
    long version,
    String kind,
    String phase,
    String name,
    String description,
    String lastUpdated,
    List<ObjectNode> rules) {

  static Ruleset read(SqlRow row) {
    List<ObjectNode> rules = new ArrayList<>();
    Json.read(ZoneStore.text(row, "rules")).forEach(rule -> rules.add((ObjectNode) rule));
    return new Ruleset(
        ZoneStore.text(row, "id"),
        row.getLong("version"),
        ZoneStore.text(row, "kind"),
        ZoneStore.text(row, "phase"),
        ZoneStore.text(row, "name"),
        ZoneStore.text(row, "description"),
        ZoneStore.text(row, "last_updated"),
        rules);
  }

  /** {@return the next version} */
  Ruleset next(String newName, String newDescription, List<ObjectNode> newRules, String now) {
    return new Ruleset(id, version + 1, kind, phase, newName, newDescription, now, newRules);
  }

  Map<String, ObjectNode> rulesById() {
    Map<String, ObjectNode> byId = new LinkedHashMap<>();
    rules.forEach(rule -> byId.put(rule.get("id").stringValue(), rule));
    return byId;
  }

  String rulesText() {
    ArrayNode array = Json.array();
    rules.forEach(array::add);
    return Json.write(array);
  }

  ObjectNode toJson() {
    ObjectNode tree = summary();
    ArrayNode array = tree.putArray("rules");
    rules.forEach(array::add);
    return tree;
  }

  /** Without the rules, as in lists. */
  ObjectNode summary() {
    return Json.object()
        .put("id", id)
        .put("name", name)
        .put("description", description)
        .put("kind", kind)
        .put("version", String.valueOf(version))
        .put("last_updated", lastUpdated)
        .put("phase", phase);
  }
}
