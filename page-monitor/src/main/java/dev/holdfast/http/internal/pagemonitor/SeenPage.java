package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.object.Found;
import dev.holdfast.http.object.PageRange;
import java.util.stream.Stream;

/**
 * A page of a list whose items are read one at a time, in the turn that has made it.
 *
 * @param <T> the type of the items
 * @param items the items of the page
 * @param page the page
 * @param totalCount the number of items of all pages
 */
public record SeenPage<T>(Stream<T> items, PageRange page, long totalCount) {

  Found<T> found() {
    return new Found<>(items.toList(), page, totalCount);
  }
}
