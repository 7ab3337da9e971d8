package dev.holdfast.http.firewall;

import java.util.Set;

/**
 * A rule of a managed ruleset. Immutable. There are three kinds. A rule with the action {@link
 * FirewallAction#SCORE} adds its score to that of the request. A rule with a threshold judges: it
 * matches when the score of the rules before it reaches the threshold. Any other acts by itself.
 *
 * @param id 32 lower-case hexadecimal digits
 * @param description what it detects
 * @param categories names by which an entry point overrides it; {@code paranoia-level-2} and higher
 *     mean that it is left out at the levels below
 * @param action its action, unless it is overridden
 * @param score what it adds to the score; 0 for the other kinds
 * @param scoreThreshold the least score that it matches, unless it is overridden; 0 for the other
 *     kinds
 * @param enabled whether it is evaluated, unless it is overridden
 */
public record ManagedRule(
    String id,
    String description,
    Set<String> categories,
    FirewallAction action,
    int score,
    int scoreThreshold,
    boolean enabled) {

  /**
   * Copies the categories.
   *
   * @throws IllegalArgumentException if the numbers do not fit the kind of the rule
   */
  public ManagedRule {
    categories = Set.copyOf(categories);
    if ((score > 0) != (action == FirewallAction.SCORE) || score < 0) {
      throw new IllegalArgumentException("a rule has a score if its action is SCORE: " + id);
    }
    if (scoreThreshold < 0 || (scoreThreshold > 0 && score > 0)) {
      throw new IllegalArgumentException("a rule has a score or a threshold: " + id);
    }
  }
}
