package dev.holdfast.http.internal.decision;

import dev.holdfast.http.expression.FilterRequest;
import dev.holdfast.http.expression.FilterWork;
import dev.holdfast.http.expression.FilterWorkException;
import dev.holdfast.http.firewall.Decision;
import dev.holdfast.http.firewall.FirewallAction;
import dev.holdfast.http.firewall.ManagedRule;
import dev.holdfast.http.firewall.ManagedRuleset;
import dev.holdfast.http.firewall.MatchedRule;
import dev.holdfast.http.firewall.SiteRequest;
import dev.holdfast.http.firewall.Undecided;
import dev.holdfast.http.internal.decision.CompiledRule.Effect;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The evaluation of one request. Owned by one thread. */
final class Evaluation {

  private final Map<String, List<CompiledRule>> customRulesets;
  private final FilterRequest fields;
  private final SiteRequest request;
  private final Undecided undecided;
  private final BiConsumer<String, RuntimeException> failed;
  private final FilterWork work = new FilterWork();
  private final List<MatchedRule> matched = new ArrayList<>(4);
  private final Set<String> bypassed = new TreeSet<>();
  private final Set<String> skippedPhases = new HashSet<>(2);
  private final Set<String> skippedRulesets = new HashSet<>(2);
  private final Map<String, Set<String>> skippedRules = new HashMap<>(2);

  /** A second run would give the same result; without this, rules could multiply each other. */
  private final Set<String> executed = new HashSet<>(2);

  private final Map<ManagedRuleset, Set<String>> matching = new HashMap<>(2);
  private @Nullable MatchedRule allowing;
  private @Nullable MatchedRule stopping;

  Evaluation(
      Map<String, List<CompiledRule>> customRulesets,
      FilterRequest fields,
      SiteRequest request,
      Undecided undecided,
      BiConsumer<String, RuntimeException> failed) {
    this.customRulesets = customRulesets;
    this.fields = fields;
    this.request = request;
    this.undecided = undecided;
    this.failed = failed;
  }

  boolean isOver() {
    return stopping != null;
  }

  Decision decision(String zoneId, long version, Instant time) {
    MatchedRule deciding = stopping == null ? allowing : stopping;
    return new Decision(
        zoneId,
        version,
        time,
        deciding == null ? FirewallAction.NONE : deciding.action(),
        deciding == null ? null : deciding.ruleId(),
        matched,
        bypassed);
  }

  void firewallRules(List<CompiledRule> rules) {
    for (CompiledRule rule : rules) {
      if (matches(Decision.FIREWALL_RULES, null, rule)) {
        Effect.Act act = (Effect.Act) rule.effect();
        bypassed.addAll(act.products());
        MatchedRule match = add(Decision.FIREWALL_RULES, null, rule.id(), act.action(), 0);
        if (act.action() == FirewallAction.ALLOW) {
          allowing = match;
          return;
        }
        if (isOver()) {
          return;
        }
      }
    }
  }

  void entryPoint(CompiledZone.EntryPoint entryPoint) {
    if (!skippedPhases.contains(entryPoint.phase())) {
      ruleset(entryPoint.phase(), entryPoint.id(), entryPoint.rules(), true);
    }
  }

  private void ruleset(String phase, String rulesetId, List<CompiledRule> rules, boolean isEntry) {
    for (CompiledRule rule : rules) {
      if (!isSkipped(rulesetId, rule.id()) && matches(phase, rulesetId, rule)) {
        switch (rule.effect()) {
          case Effect.Act act -> add(phase, rulesetId, rule.id(), act.action(), 0);
          case Effect.Skip skip -> {
            add(phase, rulesetId, rule.id(), FirewallAction.SKIP, 0);
            skippedPhases.addAll(skip.phases());
            skippedRulesets.addAll(skip.rulesets());
            skip.rules()
                .forEach(
                    (id, ids) ->
                        skippedRules.computeIfAbsent(id, x -> new HashSet<>()).addAll(ids));
            bypassed.addAll(skip.products());
            if (skip.current() || skippedPhases.contains(phase)) {
              return;
            }
          }
          case Effect.ExecuteCustom(String target) -> {
            // Only entry points execute: the depth is bounded.
            if (isEntry && !skippedRulesets.contains(target) && executed.add(target)) {
              ruleset(phase, target, customRulesets.getOrDefault(target, List.of()), false);
            }
          }
          case Effect.ExecuteManaged managed -> {
            if (isEntry && !skippedRulesets.contains(managed.rulesetId())) {
              managed(phase, managed);
            }
          }
        }
      }
      if (isOver() || skippedPhases.contains(phase)) {
        return;
      }
    }
  }

  private void managed(String phase, Effect.ExecuteManaged managed) {
    Set<String> ids = matching.computeIfAbsent(managed.ruleset(), this::ask);
    int score = 0;
    for (ManagedRule rule : managed.rules()) {
      boolean judges = rule.scoreThreshold() > 0;
      boolean matches = judges ? score >= rule.scoreThreshold() : ids.contains(rule.id());
      if (matches && !isSkipped(managed.rulesetId(), rule.id())) {
        score += rule.score();
        add(phase, managed.rulesetId(), rule.id(), rule.action(), judges ? score : rule.score());
        if (isOver()) {
          return;
        }
      }
    }
  }

  private Set<String> ask(ManagedRuleset ruleset) {
    try {
      return ruleset.matching(request);
    } catch (RuntimeException e) {
      failed.accept("managed ruleset " + ruleset.getClass().getName(), e);
      return Set.of();
    }
  }

  private boolean isSkipped(String rulesetId, String ruleId) {
    return !skippedRules.isEmpty()
        && skippedRules.getOrDefault(rulesetId, Set.of()).contains(ruleId);
  }

  private boolean matches(String phase, @Nullable String rulesetId, CompiledRule rule) {
    try {
      return rule.expression().matches(fields, work);
    } catch (FilterWorkException e) {
      // A client chooses how much work its request takes: it must not choose that it passes.
      failed.accept(rule.owner(), e);
      if (undecided == Undecided.LOG && rule.restricts()) {
        add(phase, rulesetId, rule.id(), FirewallAction.LOG, 0);
      }
      return undecided == Undecided.BLOCK && rule.restricts();
    }
  }

  private MatchedRule add(
      String phase, @Nullable String rulesetId, String ruleId, FirewallAction action, int score) {
    MatchedRule match = new MatchedRule(phase, rulesetId, ruleId, action, score);
    matched.add(match);
    if (action.stops()) {
      stopping = match;
    }
    return match;
  }
}
