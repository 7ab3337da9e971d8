package dev.holdfast.http.firewall;

import org.jspecify.annotations.Nullable;

/**
 * A rule that matched a request. Immutable.
 *
 * @param phase the phase in which it was evaluated; {@link Decision#FIREWALL_RULES} for a firewall
 *     rule
 * @param rulesetId the ruleset that contains it; null for a firewall rule
 * @param ruleId the rule
 * @param action its action, after the overrides of the rule that executes its ruleset
 * @param score what it adds to the score of the request, or, for the rule that judges the score,
 *     the score; 0 for others
 */
public record MatchedRule(
    String phase, @Nullable String rulesetId, String ruleId, FirewallAction action, int score) {}
