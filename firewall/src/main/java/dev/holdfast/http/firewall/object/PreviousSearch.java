package dev.holdfast.http.firewall.object;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The wanted items of a list of the previous managed rules, and their order. Immutable.
 *
 * @param equal the members that an item has, by their names
 * @param isAny whether one of these is enough
 * @param mode the mode, or null for any
 * @param orderBy the member by which they are ordered; null for the order of the document
 * @param isDescending whether the order is reversed
 */
public record PreviousSearch(
    Map<String, String> equal,
    boolean isAny,
    @Nullable String mode,
    @Nullable String orderBy,
    boolean isDescending) {

  /** All items in the order of the document. */
  public static final PreviousSearch ALL = new PreviousSearch(Map.of(), false, null, null, false);

  /** Copies the map. */
  public PreviousSearch {
    equal = Map.copyOf(equal);
  }

  /**
   * {@return this search for items with a mode}
   *
   * @param other the mode, or null for any
   */
  public PreviousSearch withMode(@Nullable String other) {
    return new PreviousSearch(equal, isAny, other, orderBy, isDescending);
  }
}
