package dev.holdfast.http.internal.decision;

import dev.holdfast.http.expression.FilterRequest;
import dev.holdfast.http.firewall.Decision;
import dev.holdfast.http.firewall.ManagedRuleset;
import dev.holdfast.http.firewall.SiteRequest;
import dev.holdfast.http.firewall.Undecided;
import dev.holdfast.http.firewall.object.ZoneFirewall;
import dev.holdfast.http.firewall.object.ZoneFirewall.StoredRuleset;
import dev.holdfast.http.internal.json.Json;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

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
  private final List<EntryPoint> entryPoints = new ArrayList<>();
  private final Map<String, List<CompiledRule>> customRulesets = new HashMap<>();
  private final boolean readsBody;
  private final Undecided undecided;

  /** An entry point that is evaluated. */
  record EntryPoint(String id, String phase, List<CompiledRule> rules) {}

  /**
   * Compiles the firewall of a zone.
   *
   * @param stored what is stored
   * @param managed the managed rulesets by id
   * @param undecided what an expression does that would take too much work
   */
  public CompiledZone(
      ZoneFirewall stored, Map<String, ManagedRuleset> managed, Undecided undecided) {
    this.undecided = undecided;
    zoneId = stored.zoneId();
    version = stored.version();
    rules = stored.rules().stream().map(CompiledRule::of).toList();
    List<CompiledRule> all = new ArrayList<>(rules);
    for (StoredRuleset ruleset : stored.rulesets()) {
      if (PHASES.contains(ruleset.phase())) {
        List<CompiledRule> compiled =
            Json.read(ruleset.rules())
                .valueStream()
                .filter(rule -> rule.path("enabled").asBoolean(true))
                .map(rule -> CompiledRule.of(rule, managed))
                .toList();
        all.addAll(compiled);
        if (ruleset.isEntryPoint()) {
          entryPoints.add(new EntryPoint(ruleset.id(), ruleset.phase(), compiled));
        } else {
          customRulesets.put(ruleset.id(), compiled);
        }
      }
    }
    entryPoints.sort(Comparator.comparingInt(entry -> PHASES.indexOf(entry.phase())));
    readsBody = all.stream().anyMatch(CompiledRule::readsBody);
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
   * @param failed receives what cannot be evaluated: the name of its owner, such as a filter with
   *     its id, and the failure
   * @return the decision
   */
  public Decision decide(
      FilterRequest fields,
      SiteRequest request,
      Instant time,
      BiConsumer<String, RuntimeException> failed) {
    Evaluation evaluation = new Evaluation(customRulesets, fields, request, undecided, failed);
    evaluation.firewallRules(rules);
    for (EntryPoint entryPoint : entryPoints) {
      if (!evaluation.isOver()) {
        evaluation.entryPoint(entryPoint);
      }
    }
    return evaluation.decision(zoneId, version, time);
  }
}
