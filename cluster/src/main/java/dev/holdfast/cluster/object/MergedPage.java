package dev.holdfast.cluster.object;

import dev.holdfast.Page;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Pages of all shards as one page. Stateless. */
final class MergedPage {

  private MergedPage() {}

  /**
   * Merges the pages that follow the same cursor in each shard.
   *
   * @param <T> the items
   * @param pages one of each shard, each with up to the limit
   * @param limit the largest number of items
   * @param order of the items in each page
   * @param cursor says where a list goes on after an item
   * @return the first items of all pages; with a cursor if it is full
   */
  static <T> Page<T> of(
      List<Page<T>> pages, int limit, Comparator<T> order, Function<T, String> cursor) {
    List<T> items =
        pages.stream().flatMap(page -> page.items().stream()).sorted(order).limit(limit).toList();
    return new Page<>(
        items,
        items.size() < limit ? Optional.empty() : Optional.of(cursor.apply(items.getLast())));
  }
}
