package dev.holdfast.http.object;

import java.util.List;

/**
 * A page of a list. Immutable.
 *
 * @param <T> the type of the items
 * @param items the items of the page
 * @param page the page
 * @param totalCount the number of items of all pages
 */
public record Found<T>(List<T> items, PageRange page, long totalCount) {

  /** Copies the list. */
  public Found {
    items = List.copyOf(items);
  }
}
