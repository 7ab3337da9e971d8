package dev.holdfast.http.firewall.object;

import dev.holdfast.http.firewall.FirewallAction;
import org.jspecify.annotations.Nullable;

/**
 * The wanted firewall rules: those that fit all that is not null. Immutable.
 *
 * @param id the id
 * @param action the action
 * @param description a part of the description, in any case
 * @param paused whether it is paused
 */
public record RuleSearch(
    @Nullable String id,
    @Nullable FirewallAction action,
    @Nullable String description,
    @Nullable Boolean paused) {

  /** All rules. */
  public static final RuleSearch ALL = new RuleSearch(null, null, null, null);
}
