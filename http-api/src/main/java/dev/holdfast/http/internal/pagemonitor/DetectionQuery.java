package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.analysis.ReputationFeed;
import dev.holdfast.http.internal.call.Query;
import dev.holdfast.http.internal.error.ApiException;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.internal.reply.Page;
import dev.holdfast.http.internal.store.Selection;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.ZoneReply;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.node.ArrayNode;

/**
 * The query of a list of scripts or connections. The store filters, sorts and pages; all parameters
 * are checked first, so that a mistake is reported even if there is nothing to list.
 */
final class DetectionQuery {

  private static final int PAGE_SIZE = 15;
  private static final Set<String> TIMES = Set.of("first_seen_at", "last_seen_at");

  private static final List<String> COLUMNS =
      List.of(
          "id",
          "url",
          "host",
          "status",
          "added_at",
          "first_seen_at",
          "last_seen_at",
          "first_page_url");

  private static final String SELECT =
      "SELECT id, url, page_host, added_at, first_seen_micros, last_seen_micros, first_page_url,"
          + " '[]' AS page_urls, status, versions FROM ";

  /** A page without its scheme, as patterns of pages are written. */
  private static final String SHORT_PAGE =
      "substr(%1$s, iif(instr(%1$s, '://') > 0, instr(%1$s, '://') + 3, 1))";

  /**
   * Of scripts with the same content, host and page host, the one that was seen last. A URL is in
   * its normal form: what is between its scheme and its path is a host, perhaps with a user before
   * it and a port after it.
   */
  private static final String WITHOUT_DUPLICATES =
      """
      (SELECT *, row_number() OVER (
         PARTITION BY coalesce(json_extract(versions, '$[0].hash'), id), page_host,
           iif(substr(authority, 1, 1) = '[', substr(authority, 1, instr(authority, ']')),
             substr(authority, 1, instr(authority || ':', ':') - 1))
         ORDER BY last_seen_micros DESC, id) AS place
       FROM (SELECT *, substr(name, instr(name, '@') + 1) AS authority
         FROM (SELECT *, substr(rest, 1, instr(rest || '/', '/') - 1) AS name
           FROM (SELECT *, substr(url, instr(url, '://') + 3) AS rest FROM detection WHERE WANTED))))
      WHERE place = 1
      """;

  private final Query query;
  private final ReputationFeed feed;
  private final boolean isScript;
  private final Selection wanted;
  private final String order;

  DetectionQuery(Query query, ReputationFeed feed, String kind) {
    this.query = query;
    this.feed = feed;
    this.isScript = kind.equals(Detections.SCRIPT);
    wanted = new Selection("kind = ?", kind);
    wanted.in("status", statuses(query));
    wanted.matches("SELECT page_host AS t", query.items("hosts"));
    List<String> urls = query.items("urls");
    if (!urls.isEmpty()) {
      wanted.and(
          "EXISTS (SELECT 1 FROM json_each(?) WHERE instr(url, value) > 0)", Selection.json(urls));
    }
    wanted.and(
        "NOT EXISTS (SELECT 1 FROM json_each(?) WHERE instr(url, value) > 0)",
        Selection.json(query.items("exclude_urls")));
    wanted.matches(
        "SELECT "
            + SHORT_PAGE.formatted("first_page_url")
            + " AS t UNION ALL SELECT "
            + SHORT_PAGE.formatted("value")
            + " FROM json_each(page_urls)",
        query.items("page_url"));
    if (query.flag("exclude_cdn_cgi", true)) {
      wanted.and("instr(url, ?) = 0", Detection.CDN_PATH);
    }
    order = order(query, "last_seen_micros", "first_seen_micros");
  }

  /**
   * {@return the texts of the requested statuses, as they are stored}
   *
   * @throws ApiException if one of them is unknown
   */
  static List<String> statuses(Query query) {
    List<String> given = query.items("status");
    for (String status : given) {
      if (!LifeCycle.WORDS.contains(status)) {
        throw ApiException.badParameter("status", "active, infrequent or inactive");
      }
    }
    return given.isEmpty()
        ? List.of("ACTIVE")
        : given.stream().map(LifeCycle.Status::of).map(Enum::name).toList();
  }

  /** {@return the text after ORDER BY} */
  static String order(Query query, String lastSeen, String firstSeen) {
    String by = query.word("order_by", TIMES, "last_seen_at");
    String direction = query.word("direction", Set.of("asc", "desc"), "desc");
    return (by.equals("first_seen_at") ? firstSeen : lastSeen) + " " + direction + ", id";
  }

  /** {@return the requested page: "all" is a page with all items} */
  static Page page(Query query, long count) {
    int size = query.number("per_page", 1, 100, PAGE_SIZE);
    return "all".equals(query.text("page"))
        ? new Page(1, (int) Math.max(1, count))
        : new Page(query.number("page", 1, Integer.MAX_VALUE, 1), size);
  }

  ZoneReply answer(ZoneStore store, ArrayNode messages) {
    boolean isOnce = isScript && query.flag("exclude_duplicates", true);
    String from =
        isOnce
            ? WITHOUT_DUPLICATES.replace("WANTED", wanted.where())
            : "detection WHERE " + wanted.where();
    List<String> first = query.flag("prioritize_malicious", false) ? malicious(store) : List.of();
    String ordered =
        from
            + " ORDER BY id IN (SELECT value FROM json_each(?)) DESC, "
            + order
            + " LIMIT ? OFFSET ?";
    if (Csv.isWanted(query)) {
      Csv csv = new Csv(COLUMNS);
      List<Object> all = List.of(Selection.json(first), -1, 0);
      store
          .list(SELECT + ordered, Detection::read, wanted.bindings(all))
          .forEach(detection -> csv.row(detection.cells()));
      return csv.reply();
    }
    long count = store.count("SELECT count(*) AS n FROM " + from, wanted.bindings());
    Page page = page(query, count);
    ArrayNode items = Json.array();
    List<Object> some = List.of(Selection.json(first), page.size(), page.offset());
    store
        .list(SELECT + ordered, Detection::read, wanted.bindings(some))
        .forEach(detection -> items.add(detection.toJson(feed, isScript, false)));
    return Envelope.page(items, page, count, messages);
  }

  /** {@return the ids of those that are malicious: the feed is no table} */
  private List<String> malicious(ZoneStore store) {
    return store
        .list(SELECT + "detection WHERE " + wanted.where(), Detection::read, wanted.bindings())
        .stream()
        .filter(detection -> detection.isMalicious(feed))
        .map(Detection::id)
        .toList();
  }
}
