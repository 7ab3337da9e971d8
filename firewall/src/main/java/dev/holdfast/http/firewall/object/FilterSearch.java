package dev.holdfast.http.firewall.object;

import org.jspecify.annotations.Nullable;

/**
 * The wanted filters: those that fit all that is not null. Immutable.
 *
 * @param id the id
 * @param expression a part of the expression, in any case
 * @param description a part of the description, in any case
 * @param ref the reference
 * @param paused whether it is paused
 */
public record FilterSearch(
    @Nullable String id,
    @Nullable String expression,
    @Nullable String description,
    @Nullable String ref,
    @Nullable Boolean paused) {

  /** All filters. */
  public static final FilterSearch ALL = new FilterSearch(null, null, null, null, null);
}
