package dev.holdfast.http.firewall.object;

import dev.holdfast.http.firewall.FirewallAction;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A firewall rule: what happens to the requests that a filter selects. Immutable.
 *
 * @param id its id; empty before the zone has stored it
 * @param paused whether it is not decided
 * @param action what happens
 * @param priority rules with a lower number come first; null for after all of these, in the order
 *     of the actions
 * @param description its description, or null
 * @param ref the reference by which its owner knows it, or null
 * @param products what a request bypasses if the action is {@link FirewallAction#BYPASS}; else none
 * @param filter its filter: a stored one, or one to be stored with the rule
 */
public record FirewallRule(
    String id,
    boolean paused,
    FirewallAction action,
    @Nullable Long priority,
    @Nullable String description,
    @Nullable String ref,
    List<String> products,
    Filter filter) {

  /** Copies the list. */
  public FirewallRule {
    products = List.copyOf(products);
  }

  /**
   * {@return a rule to be stored, with its filter}
   *
   * @param action what happens
   * @param expression selects the requests
   */
  public static FirewallRule of(FirewallAction action, String expression) {
    return new FirewallRule("", false, action, null, null, null, List.of(), Filter.of(expression));
  }
}
