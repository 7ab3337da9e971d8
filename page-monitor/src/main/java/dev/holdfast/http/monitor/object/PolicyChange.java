package dev.holdfast.http.monitor.object;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a policy becomes. What is null stays as it is. Immutable.
 *
 * @param description its description
 * @param action its action
 * @param expression selects the pages
 * @param enabled whether it applies
 * @param enabledAsText whether its owner writes the switch as a text; not read without one
 * @param value its directives
 */
public record PolicyChange(
    @Nullable String description,
    @Nullable String action,
    @Nullable String expression,
    @Nullable Boolean enabled,
    boolean enabledAsText,
    @Nullable String value) {

  /**
   * {@return a policy with this change}
   *
   * @param old the policy before
   */
  public MonitorPolicy of(MonitorPolicy old) {
    return new MonitorPolicy(
        old.id(),
        Objects.requireNonNullElse(description, old.description()),
        Objects.requireNonNullElse(action, old.action()),
        Objects.requireNonNullElse(expression, old.expression()),
        Objects.requireNonNullElse(enabled, old.enabled()),
        enabled == null ? old.enabledAsText() : enabledAsText,
        Objects.requireNonNullElse(value, old.value()));
  }
}
