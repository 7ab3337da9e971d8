package dev.holdfast;

import java.util.List;
import java.util.Optional;

/**
 * One part of a list that is read in parts. Immutable.
 *
 * @param <T> what is listed
 * @param items the items of this part, in the order of the list
 * @param nextCursor the cursor of the next part; empty if this is the last part
 */
public record Page<T>(List<T> items, Optional<String> nextCursor) {

  /**
   * Copies the list.
   *
   * @throws NullPointerException if an item is null
   */
  public Page {
    items = List.copyOf(items);
  }
}
