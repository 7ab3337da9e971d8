package dev.holdfast.http.internal.ruleset;

import dev.holdfast.http.internal.json.Json;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/**
 * A version of a ruleset.
 *
 * @param id its identifier, the same for all versions
 * @param name its name
 * @param description for people
 * @param kind {@code zone} for entry points, {@code custom} for others
 * @param version from 1
 * @param lastUpdated when the version was created
 * @param phase its phase
 * @param latest whether there is no later version
 * @param rules its rules in order, as a JSON array
 */
record Ruleset(
    String id,
    String name,
    String description,
    String kind,
    long version,
    String lastUpdated,
    String phase,
    boolean latest,
    String rules) {

  /** {@return rules as they are stored} */
  static String text(Collection<ObjectNode> rules) {
    return Json.write(Json.array(rules.stream()));
  }

  /** {@return the next version} */
  Ruleset next(String newDescription, String newRules, String now) {
    return new Ruleset(id, name, newDescription, kind, version + 1, now, phase, true, newRules);
  }

  Map<String, ObjectNode> rulesById() {
    Map<String, ObjectNode> byId = new LinkedHashMap<>();
    Json.read(rules).forEach(rule -> byId.put(rule.get("id").stringValue(), (ObjectNode) rule));
    return byId;
  }

  ObjectNode toJson() {
    ObjectNode tree = summary();
    tree.set("rules", Json.read(rules));
    return tree;
  }

  /** Without the rules, as in lists. */
  ObjectNode summary() {
    ObjectNode tree = Json.tree(this).put("version", String.valueOf(version));
    return tree.remove(List.of("latest", "rules"));
  }
}
