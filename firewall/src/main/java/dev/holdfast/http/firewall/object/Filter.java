package dev.holdfast.http.firewall.object;

import org.jspecify.annotations.Nullable;

/**
 * A filter: an expression that selects requests, for firewall rules. Immutable.
 *
 * @param id its id; empty before the zone has stored it
 * @param expression its expression
 * @param paused whether its rules are paused
 * @param description its description, or null
 * @param ref the reference by which its owner knows it, or null
 */
public record Filter(
    String id,
    String expression,
    boolean paused,
    @Nullable String description,
    @Nullable String ref) {

  /**
   * {@return a filter to be stored}
   *
   * @param expression its expression
   */
  public static Filter of(String expression) {
    return new Filter("", expression, false, null, null);
  }

  /**
   * {@return the stored filter with an id, for a rule that uses it}
   *
   * @param id the id
   */
  public static Filter stored(String id) {
    return new Filter(id, "", false, null, null);
  }

  /**
   * {@return this filter with an id}
   *
   * @param other the id
   */
  public Filter withId(String other) {
    return new Filter(other, expression, paused, description, ref);
  }
}
