package dev.holdfast.http.internal.decision;

import dev.holdfast.http.expression.FilterRequest;
import dev.holdfast.http.firewall.Decision;
import dev.holdfast.http.firewall.ManagedRuleset;
import dev.holdfast.http.firewall.SiteRequest;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.object.ZoneFirewall;
import dev.holdfast.http.object.ZoneFirewall.StoredRuleset;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** One version of the firewall of a zone, ready to decide. Immutable and thread-safe. */
public final class CompiledZone {

  /**
   * The phases that are evaluated, in order. The others need what a request alone does not have.
   */
  private static final List<String> PHASES =
      List.of(
          "http_request_firewall_custom",
          "http_request_firewall_managed",
          Decision.PREVIOUS_MANAGED_RULES);

  private final String zoneId;
  private final long version;
  private final List<CompiledRule> rules;
  private final List<EntryPoint> entryPoints;
  private final Map<String, List<CompiledRule>> customRulesets;
  private final boolean readsBody;

  /** An entry point that is evaluated. */
  record EntryPoint(String id, String phase, List<CompiledRule> rules) {}

  private CompiledZone(
      ZoneFirewall stored,
      List<CompiledRule> rules,
      List<EntryPoint> entryPoints,
      Map<String, List<CompiledRule>> customRulesets) {
    this.zoneId = stored.zoneId();
    this.version = stored.version();
    this.rules = rules;
    this.entryPoints = entryPoints;
    this.customRulesets = customRulesets;
    this.readsBody =
        Stream.of(
                rules.stream(),
                entryPoints.stream().flatMap(entry -> entry.rules().stream()),
                customRulesets.values().stream().flatMap(List::stream))
            .flatMap(all -> all)
            .anyMatch(CompiledRule::readsBody);
  }

  /**
   * Compiles the firewall of a zone.
   *
   * @param stored what is stored
   * @param managed the managed rulesets by id
   * @return the compiled firewall
   */
  public static CompiledZone of(ZoneFirewall stored, Map<String, ManagedRuleset> managed) {
    List<EntryPoint> entryPoints = new ArrayList<>();
    Map<String, List<CompiledRule>> custom = new HashMap<>();
    for (StoredRuleset ruleset : stored.rulesets()) {
      if (!PHASES.contains(ruleset.phase())) {
        continue;
      }
      List<CompiledRule> rules = new ArrayList<>();
      for (JsonNode rule : Json.read(ruleset.rules())) {
        if (rule.path("enabled").asBoolean(true)) {
          rules.add(CompiledRule.of(rule, managed));
        }
      }
      if (ruleset.isEntryPoint()) {
        entryPoints.add(new EntryPoint(ruleset.id(), ruleset.phase(), List.copyOf(rules)));
      } else {
        custom.put(ruleset.id(), List.copyOf(rules));
      }
    }
    entryPoints.sort((a, b) -> PHASES.indexOf(a.phase()) - PHASES.indexOf(b.phase()));
    List<CompiledRule> rules = stored.rules().stream().map(CompiledRule::of).toList();
    return new CompiledZone(stored, rules, List.copyOf(entryPoints), Map.copyOf(custom));
  }

  /** {@return the ids of rulesets that a rule executes and nobody has registered or created} */
  public Set<String> missingRulesets() {
    return entryPoints.stream()
        .flatMap(entry -> entry.rules().stream())
        .map(CompiledRule::effect)
        .filter(CompiledRule.Effect.ExecuteCustom.class::isInstance)
        .map(effect -> ((CompiledRule.Effect.ExecuteCustom) effect).rulesetId())
        .filter(id -> !customRulesets.containsKey(id))
        .collect(Collectors.toUnmodifiableSet());
  }

  /** {@return whether the body of a request can matter} */
  public boolean readsBody() {
    return readsBody;
  }

  /**
   * Decides on a request.
   *
   * @param fields the fields of the request
   * @param request the request, for managed rulesets
   * @param time the time of the request
   * @param failed receives what cannot be evaluated
   * @return the decision
   */
  public Decision decide(
      FilterRequest fields, SiteRequest request, Instant time, FailedEvaluation failed) {
    Evaluation evaluation = new Evaluation(customRulesets, fields, request, failed);
    evaluation.firewallRules(rules);
    for (EntryPoint entryPoint : entryPoints) {
      if (!evaluation.isOver()) {
        evaluation.entryPoint(entryPoint);
      }
    }
    return evaluation.decision(zoneId, version, time);
  }
}
