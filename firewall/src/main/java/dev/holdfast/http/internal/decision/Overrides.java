package dev.holdfast.http.internal.decision;

import dev.holdfast.http.firewall.FirewallAction;
import dev.holdfast.http.firewall.ManagedRule;
import dev.holdfast.http.firewall.ManagedRuleset;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * The overrides of a rule that executes a managed ruleset, applied: first those of the whole
 * ruleset, then those of categories, then those of single rules.
 */
final class Overrides {

  private Overrides() {}

  /**
   * {@return the enabled rules of a ruleset with their actions and thresholds}
   *
   * @param ruleset the ruleset
   * @param overrides the member of the action parameters; a missing node if there is none
   */
  static List<ManagedRule> apply(ManagedRuleset ruleset, JsonNode overrides) {
    List<ManagedRule> enabled = new ArrayList<>();
    for (ManagedRule rule : ruleset.rules()) {
      ManagedRule changed = one(rule, overrides);
      for (JsonNode category : overrides.path("categories")) {
        if (rule.categories().contains(category.path("category").asString(""))) {
          changed = one(changed, category);
        }
      }
      for (JsonNode single : overrides.path("rules")) {
        if (single.path("id").asString("").equals(rule.id())) {
          changed = one(changed, single);
        }
      }
      if (changed.enabled()) {
        enabled.add(changed);
      }
    }
    return List.copyOf(enabled);
  }

  private static ManagedRule one(ManagedRule rule, JsonNode override) {
    boolean adds = rule.action() == FirewallAction.SCORE;
    String action = override.path("action").asString("");
    // A rule that adds to the score has no action of its own to override.
    FirewallAction changed =
        adds || action.isEmpty() || action.equals("score")
            ? rule.action()
            : FirewallAction.of(action);
    int usual = rule.scoreThreshold();
    // A threshold of 0 would be a rule of another kind.
    int threshold = usual == 0 ? 0 : Math.max(1, override.path("score_threshold").asInt(usual));
    return new ManagedRule(
        rule.id(),
        rule.description(),
        rule.categories(),
        changed,
        rule.score(),
        threshold,
        override.path("enabled").asBoolean(rule.enabled()));
  }
}
