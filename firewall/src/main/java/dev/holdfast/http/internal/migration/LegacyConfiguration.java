package dev.holdfast.http.internal.migration;

import dev.holdfast.http.internal.firewall.Rules.Summary;
import java.util.List;
import java.util.Map;

/**
 * The input of the migration. Immutable.
 *
 * @param wafEnabled whether the previous managed rules were on by default, without page rules
 * @param managedEnabled whether the managed ruleset was on
 * @param managedModes modes of its rules that differ from the default, by id: simulate, block,
 *     challenge or disable
 * @param sensitivity the sensitivity of the core rule set
 * @param actionMode the action of the core rule set: simulate, block or challenge
 * @param firewallRules expressions of firewall rules, with whether each bypasses the managed rules
 * @param pageRules page rules about security, in order
 * @param hasUriOverrides whether there are overrides for single URIs
 */
record LegacyConfiguration(
    boolean wafEnabled,
    boolean managedEnabled,
    Map<String, String> managedModes,
    Sensitivity sensitivity,
    String actionMode,
    List<Summary> firewallRules,
    List<PageRule> pageRules,
    boolean hasUriOverrides) {

  /** A page rule: a URL with stars, and its effect for that URL. */
  record PageRule(String url, Effect effect) {}

  enum Effect {
    DISABLE_SECURITY,
    WAF_OFF,
    WAF_ON
  }
}
