package dev.holdfast.http.internal.firewall;

import dev.holdfast.http.firewall.FirewallAction;
import dev.holdfast.http.firewall.object.Filter;
import dev.holdfast.http.firewall.object.FirewallRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A row of firewall rules. Immutable.
 *
 * @param products separated by commas
 */
record RuleRow(
    String id,
    boolean paused,
    FirewallAction action,
    @Nullable Long priority,
    @Nullable String description,
    @Nullable String ref,
    String filterId,
    String products) {

  static RuleRow of(FirewallRule rule) {
    return new RuleRow(
        rule.id(),
        rule.paused(),
        rule.action(),
        rule.priority(),
        rule.description(),
        rule.ref(),
        rule.filter().id(),
        String.join(",", rule.products()));
  }

  static List<String> products(String joined) {
    return joined.isEmpty() ? List.of() : List.of(joined.split(",", -1));
  }

  FirewallRule with(Filter filter) {
    return new FirewallRule(
        id, paused, action, priority, description, ref, products(products), filter);
  }
}
