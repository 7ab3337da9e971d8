package dev.holdfast.http.internal.migration;

import static java.util.stream.Collectors.toMap;

import dev.holdfast.http.expression.FilterExpression;
import dev.holdfast.http.expression.FilterSyntaxException;
import dev.holdfast.http.internal.firewall.FirewallBounds;
import dev.holdfast.http.internal.firewall.Rules.Summary;
import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.migration.LegacyConfiguration.Effect;
import dev.holdfast.http.internal.migration.LegacyConfiguration.PageRule;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.RefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The previous configuration of a zone as one JSON document: what an operator imports, what the
 * previous APIs show and change, and what the migration reads. Its form is in {@code
 * docs/formats/legacy-configuration.md}.
 */
final class LegacyDocument {

  static final Set<String> RULE_MODES =
      Set.of("default", "disable", "simulate", "block", "challenge");
  static final Set<String> SWITCH = Set.of("on", "off");

  private static final String DEFAULT =
      """
      {"waf":{"enabled":true},
       "packages":{
         "managed":{"enabled":true,"groups":[],"rules":[]},
         "owasp":{"sensitivity":"default","action_mode":"challenge","groups":[],"rules":[]}},
       "page_rules":[],"firewall_rules":[],"overrides":[]}
      """;

  private final ZoneStore store;
  private ObjectNode tree;

  LegacyDocument(ZoneStore store) {
    this.store = store;
    String stored = store.text("SELECT document AS text FROM legacy");
    tree = Json.readObject(stored == null ? DEFAULT : stored);
  }

  /** {@return a copy of the document, to change and save} */
  ObjectNode copy() {
    return tree.deepCopy();
  }

  void save(ObjectNode changed) {
    store.exec("DELETE FROM legacy");
    store.exec("INSERT INTO legacy (document) VALUES (?)", Json.write(changed));
    tree = changed;
  }

  /** Replaces the document with an imported one; missing members have their defaults. */
  void importDocument(Fields document) {
    ObjectNode merged = Json.merge(Json.readObject(DEFAULT), document.tree());
    for (Fields override : Fields.of(merged).objects("overrides")) {
      if (!override.has("id")) {
        override.tree().put("id", store.newId()); // items are looked up by it
      }
    }
    // Read as in the migration, so that an invalid document is refused now.
    checkExpressions(read(Fields.of(merged), List.of()));
    save(merged);
  }

  /**
   * Expressions that a ruleset would refuse must not be accepted here: the migration could never
   * finish.
   */
  private static void checkExpressions(LegacyConfiguration imported) {
    JsonNode rules = Mapping.entryPoint(imported).get("rules");
    long bypasses = imported.firewallRules().stream().filter(Summary::bypassesWaf).count();
    if (rules.size() - bypasses > FirewallBounds.PAGE_RULES_MIGRATED_MAX) {
      throw RefusedException.invalidJson(
          "page rules become at most "
              + FirewallBounds.PAGE_RULES_MIGRATED_MAX
              + " rules of a ruleset",
          "/page_rules");
    }
    for (JsonNode rule : rules) {
      String expression = rule.get("expression").stringValue();
      boolean bypass = rule.get("description").stringValue().equals(Mapping.BYPASS);
      if (bypass && Mapping.isTooLong(expression)) {
        // Refused when the migration is attempted, as its limits specify.
        continue;
      }
      try {
        FilterExpression.parse(expression);
      } catch (FilterSyntaxException e) {
        throw RefusedException.invalidJson(
            String.valueOf(e.getMessage()), bypass ? "/firewall_rules" : "/page_rules");
      }
    }
  }

  /** {@return the input of the migration, with the zone's own firewall rules} */
  LegacyConfiguration read(List<Summary> rules) {
    return read(Fields.of(tree), rules);
  }

  private static LegacyConfiguration read(Fields document, List<Summary> rules) {
    Fields waf = member(document, "waf");
    Fields packages = member(document, "packages");
    Fields managed = member(packages, "managed");
    Fields core = member(packages, "owasp");
    List<Summary> firewall = new ArrayList<>(rules);
    for (Fields rule : document.objects("firewall_rules")) {
      boolean bypass =
          rule.text("action").equals("bypass")
              && rule.texts("products").contains("waf")
              && !rule.flag("paused", false);
      firewall.add(new Summary(rule.text("expression"), bypass));
    }
    return new LegacyConfiguration(
        waf.flag("enabled", true),
        managed.flag("enabled", true),
        modes(managed),
        Sensitivity.of(core.text("sensitivity")),
        core.text("action_mode"),
        firewall,
        document.objects("page_rules").stream().map(LegacyDocument::pageRule).toList(),
        !document.objects("overrides").isEmpty());
  }

  /** Returns the modes of rules that are not the default, by the ids of the rules. */
  private static Map<String, String> modes(Fields part) {
    return part.objects("rules").stream()
        .filter(
            rule -> !rule.text("mode").equals("default") && RULE_MODES.contains(rule.text("mode")))
        .collect(toMap(rule -> rule.text("id"), rule -> rule.text("mode"), (first, last) -> last));
  }

  private static PageRule pageRule(Fields rule) {
    String url = rule.text("url");
    if (rule.flag("disable_security", false)) {
      return new PageRule(url, Effect.DISABLE_SECURITY);
    }
    return new PageRule(url, rule.text("waf").equals("off") ? Effect.WAF_OFF : Effect.WAF_ON);
  }

  private static Fields member(Fields of, String name) {
    Fields member = of.object(name);
    return member == null ? new Fields(Json.object(), of.at(name)) : member;
  }
}
