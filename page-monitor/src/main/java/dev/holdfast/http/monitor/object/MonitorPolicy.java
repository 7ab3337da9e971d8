package dev.holdfast.http.monitor.object;

/**
 * A content security policy of a zone. Immutable.
 *
 * @param id its id; empty before the zone has stored it
 * @param description its description
 * @param action {@code allow} to block what it does not allow, {@code log} to report it, {@code
 *     add_reporting_directives} for the page's own policies
 * @param expression selects the pages
 * @param enabled whether it applies
 * @param enabledAsText whether its owner writes the switch as a text
 * @param value its directives
 */
public record MonitorPolicy(
    String id,
    String description,
    String action,
    String expression,
    boolean enabled,
    boolean enabledAsText,
    String value) {

  /**
   * {@return an enabled policy to be stored}
   *
   * @param action its action
   * @param expression selects the pages
   * @param value its directives
   */
  public static MonitorPolicy of(String action, String expression, String value) {
    return new MonitorPolicy("", "", action, expression, true, false, value);
  }

  /**
   * {@return this policy with an id}
   *
   * @param other the id
   */
  public MonitorPolicy withId(String other) {
    return new MonitorPolicy(other, description, action, expression, enabled, enabledAsText, value);
  }
}
