package dev.holdfast.http.internal.decision;

import dev.holdfast.http.expression.FilterExpression;
import dev.holdfast.http.firewall.FirewallAction;
import dev.holdfast.http.firewall.ManagedRule;
import dev.holdfast.http.firewall.ManagedRuleset;
import dev.holdfast.http.firewall.object.ZoneFirewall;
import dev.holdfast.http.internal.store.Expressions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/**
 * A rule with its expression.
 *
 * @param id its identifier
 * @param owner names the expression in an error
 * @param expression selects the requests
 * @param effect what it does
 */
record CompiledRule(String id, String owner, FilterExpression expression, Effect effect) {

  /** What a matching rule does. */
  sealed interface Effect {

    /** An action on the request. */
    record Act(FirewallAction action, Set<String> products) implements Effect {}

    /** Leaves out what it names. */
    record Skip(
        boolean current,
        Set<String> phases,
        Set<String> rulesets,
        Map<String, Set<String>> rules,
        Set<String> products)
        implements Effect {}

    /** Runs a custom ruleset of the zone. */
    record ExecuteCustom(String rulesetId) implements Effect {}

    /** Runs a managed ruleset; its rules are those that are enabled. */
    record ExecuteManaged(String rulesetId, ManagedRuleset ruleset, List<ManagedRule> rules)
        implements Effect {}
  }

  static CompiledRule of(ZoneFirewall.StoredRule rule) {
    return new CompiledRule(
        rule.id(),
        "filter " + rule.filterId(),
        Expressions.stored(rule.expression(), false),
        new Effect.Act(FirewallAction.of(rule.action()), Set.copyOf(rule.products())));
  }

  static CompiledRule of(JsonNode rule, Map<String, ManagedRuleset> managed) {
    String id = rule.get("id").stringValue();
    return new CompiledRule(
        id,
        "rule " + id,
        Expressions.stored(rule.get("expression").stringValue(), false),
        effect(rule.get("action").stringValue(), rule.path("action_parameters"), managed));
  }

  private static Effect effect(
      String action, JsonNode parameters, Map<String, ManagedRuleset> managed) {
    return switch (action) {
      case "execute" -> {
        String target = parameters.path("id").asString("");
        ManagedRuleset ruleset = managed.get(target);
        JsonNode overrides = parameters.path("overrides");
        yield ruleset == null
            ? new Effect.ExecuteCustom(target)
            : new Effect.ExecuteManaged(target, ruleset, Overrides.apply(ruleset, overrides));
      }
      case "skip" ->
          new Effect.Skip(
              parameters.path("ruleset").asString("").equals("current"),
              texts(parameters.path("phases")),
              texts(parameters.path("rulesets")),
              rules(parameters.path("rules")),
              texts(parameters.path("products")));
      default -> new Effect.Act(FirewallAction.of(action), Set.of());
    };
  }

  private static Map<String, Set<String>> rules(JsonNode byRuleset) {
    return byRuleset
        .propertyStream()
        .collect(Collectors.toMap(Map.Entry::getKey, entry -> texts(entry.getValue())));
  }

  private static Set<String> texts(JsonNode list) {
    return list.valueStream().map(item -> item.asString("")).collect(Collectors.toSet());
  }

  /** {@return whether the body of a request can matter} */
  boolean readsBody() {
    return effect instanceof Effect.ExecuteManaged
        || expression.text().contains("http.request.body.");
  }

  /** {@return whether a match can keep a request from the site} */
  boolean restricts() {
    return switch (effect) {
      case Effect.Act act -> act.action().stops();
      case Effect.ExecuteCustom custom -> true;
      case Effect.ExecuteManaged managed -> true;
      case Effect.Skip skip -> false;
    };
  }
}
