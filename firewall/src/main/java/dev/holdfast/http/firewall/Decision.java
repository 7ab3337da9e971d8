package dev.holdfast.http.firewall;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the firewall of a zone answers to a request. Immutable.
 *
 * @param zoneId the zone
 * @param zoneVersion the version of the zone's configuration that decided; each write adds 1
 * @param time when it was decided
 * @param action what to do with the request: {@link FirewallAction#BLOCK}, one of the challenges,
 *     {@link FirewallAction#ALLOW}, or {@link FirewallAction#NONE}
 * @param ruleId the rule that decided; null with the action NONE
 * @param matched the rules that matched, in the order of evaluation; the one that decided is the
 *     last, or, with the action ALLOW, one of them
 * @param bypassedProducts the products that matching rules bypass
 */
public record Decision(
    String zoneId,
    long zoneVersion,
    Instant time,
    FirewallAction action,
    @Nullable String ruleId,
    List<MatchedRule> matched,
    Set<String> bypassedProducts) {

  /** The phase of firewall rules, the first. */
  public static final String FIREWALL_RULES = "firewall_rules";

  /** The phase of the managed rules that a zone has until its migration has finished, the last. */
  public static final String PREVIOUS_MANAGED_RULES = "previous_managed_rules";

  /** Copies the collections. */
  public Decision {
    matched = List.copyOf(matched);
    bypassedProducts = Set.copyOf(bypassedProducts);
  }
}
