package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.store.Selection;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.monitor.object.SeenSearch;
import dev.holdfast.http.object.PageRange;
import dev.holdfast.http.object.RefusedException;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the queries of lists of scripts, connections and cookies have in common. The store filters,
 * sorts and pages. An item is an object of JSON that the store makes.
 */
class SeenQuery {

  private record Item(String text) {}

  final ZoneStore store;
  final Selection wanted;
  private final String order;

  /**
   * Reads what searches have in common.
   *
   * @param wanted what is listed at most
   * @param host the column of the host
   * @param firstSeen SQL of the time that is seen first
   */
  SeenQuery(ZoneStore store, SeenSearch search, Selection wanted, String host, String firstSeen) {
    this.store = store;
    this.wanted = wanted;
    List<String> statuses = search.statuses();
    wanted.in("lower(status)", statuses.isEmpty() ? List.of("active") : statuses);
    wanted.matches("SELECT " + host + " AS t", search.hosts());
    order =
        (search.isByFirstSeen() ? firstSeen : "last_seen_micros")
            + (search.isAscending() ? " asc" : " desc");
  }

  /**
   * {@return a page of what is wanted}
   *
   * @param item SQL of an item
   * @param from what follows FROM
   * @param first the ids of items that are listed first
   * @param asked the page; null for one with all
   * @param type the type of an item
   */
  <T> SeenPage<T> answer(
      String item, String from, List<String> first, @Nullable PageRange asked, Class<T> type) {
    long count = store.count("SELECT count(*) AS n FROM " + from, wanted.bindings());
    PageRange page = asked == null ? PageRange.all(count) : asked;
    String ordered =
        from
            + " ORDER BY id IN (SELECT value FROM json_each(?)) DESC, "
            + order
            + ", id LIMIT ? OFFSET ?";
    List<Object> more = List.of(Selection.json(first), page.size(), page.offset());
    return new SeenPage<>(items(store, item, ordered, type, wanted.bindings(more)), page, count);
  }

  /** {@return the items of a query, read one at a time} */
  static <T> Stream<T> items(
      ZoneStore store, String item, String from, Class<T> type, @Nullable Object... bindings) {
    return store
        .rows("SELECT " + item + " AS text FROM " + from, Item.class, bindings)
        .map(row -> Json.read(Json.read(row.text()), type));
  }

  /** {@return the item of a query} */
  static <T> T get(
      ZoneStore store,
      String kind,
      String item,
      String from,
      Class<T> type,
      @Nullable Object... bindings) {
    return items(store, item, from, type, bindings)
        .findFirst()
        .orElseThrow(() -> RefusedException.notFound("Could not find " + kind));
  }
}
