package dev.holdfast.http.firewall.object;

import java.util.List;

/**
 * What the firewall of a zone needs to decide, as it is stored. Immutable.
 *
 * @param zoneId the zone
 * @param version the version of the zone's configuration; each write adds 1
 * @param rules the firewall rules that are not paused, nor are their filters, in the order of
 *     evaluation
 * @param rulesets the rulesets, entry points in the order of their phases
 */
public record ZoneFirewall(
    String zoneId, long version, List<StoredRule> rules, List<StoredRuleset> rulesets) {

  /** Copies the lists. */
  public ZoneFirewall {
    rules = List.copyOf(rules);
    rulesets = List.copyOf(rulesets);
  }

  /**
   * A firewall rule with its filter. Immutable.
   *
   * @param id the rule
   * @param filterId its filter
   * @param expression the expression of its filter
   * @param action its action
   * @param products the products that it bypasses; empty for other actions
   */
  public record StoredRule(
      String id, String filterId, String expression, String action, List<String> products) {

    /** Copies the list. */
    public StoredRule {
      products = List.copyOf(products);
    }
  }

  /**
   * A ruleset. Immutable.
   *
   * @param id the ruleset
   * @param phase its phase
   * @param isEntryPoint whether it is evaluated by itself; others are executed by entry points
   * @param rules its rules as a JSON array
   */
  public record StoredRuleset(String id, String phase, boolean isEntryPoint, String rules) {}
}
