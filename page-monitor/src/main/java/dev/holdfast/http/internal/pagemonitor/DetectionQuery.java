package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.analysis.ReputationFeed;
import dev.holdfast.http.analysis.ScriptScores;
import dev.holdfast.http.internal.store.Selection;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.monitor.object.Detection;
import dev.holdfast.http.monitor.object.DetectionSearch;
import dev.holdfast.http.monitor.object.ScriptVersion;
import dev.holdfast.http.object.PageRange;
import dev.holdfast.http.url.WebUrl;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The query of a list of scripts or connections. */
final class DetectionQuery extends SeenQuery {

  private static final String TIME =
      "strftime('%%Y-%%m-%%dT%%H:%%M:%%S', %1$s / 1000000, 'unixepoch')"
          + " || rtrim(rtrim(printf('.%%06d', %1$s %% 1000000), '0'), '.') || 'Z'";

  /** SQL of a detection as it is shown, with its newest scores. */
  static final String ITEM =
      """
      json_object(
        'id', id, 'url', url, 'host', page_host, 'status', lower(status), 'added_at', added_at,
        'first_seen_at', %s, 'last_seen_at', %s, 'first_page_url', first_page_url,
        'url_contains_cdn_cgi_path', json(iif(instr(url, '/cdn-cgi') > 0, 'true', 'false')),
        'newest', json(versions -> '$[0]'))
      """
          .formatted(TIME.formatted("first_seen_micros"), TIME.formatted("last_seen_micros"));

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

  private final ReputationFeed feed;
  private final DetectionSearch search;
  private final boolean isScript;

  DetectionQuery(ZoneStore store, DetectionSearch search, ReputationFeed feed, String kind) {
    super(store, search.seen(), new Selection("kind = ?", kind), "page_host", "first_seen_micros");
    this.feed = feed;
    this.search = search;
    this.isScript = kind.equals(Detections.SCRIPT);
    if (!search.urls().isEmpty()) {
      wanted.and(
          "EXISTS (SELECT 1 FROM json_each(?) WHERE instr(url, value) > 0)",
          Selection.json(search.urls()));
    }
    wanted.and(
        "NOT EXISTS (SELECT 1 FROM json_each(?) WHERE instr(url, value) > 0)",
        Selection.json(search.excludeUrls()));
    wanted.matches(
        "SELECT "
            + SHORT_PAGE.formatted("first_page_url")
            + " AS t UNION ALL SELECT "
            + SHORT_PAGE.formatted("value")
            + " FROM json_each(page_urls)",
        search.pageUrls());
    if (search.excludesCdnCgi()) {
      wanted.and("instr(url, ?) = 0", "/cdn-cgi");
    }
  }

  SeenPage<Detection> answer(@Nullable PageRange page) {
    String all = "detection WHERE " + wanted.where();
    List<String> malicious = List.of();
    if (search.maliciousFirst()) {
      // The feed is no table.
      malicious =
          items(store, ITEM, all, Detection.class, wanted.bindings())
              .filter(item -> isMalicious(completed(item, feed)))
              .map(Detection::id)
              .toList();
    }
    boolean isOnce = isScript && search.excludesDuplicates();
    String from = isOnce ? WITHOUT_DUPLICATES.replace("WANTED", wanted.where()) : all;
    SeenPage<Detection> found = answer(ITEM, from, malicious, page, Detection.class);
    return new SeenPage<>(
        found.items().map(item -> completed(item, feed)), found.page(), found.totalCount());
  }

  /** By what the feed says of it, or by its newest score. */
  private static boolean isMalicious(Detection item) {
    ScriptVersion newest = item.newest();
    return !item.domainCategories().isEmpty()
        || !item.urlCategories().isEmpty()
        || (newest != null && newest.jsIntegrityScore() < ScriptScores.MALICIOUS_BELOW);
  }

  /** Adds what the feed says. */
  static Detection completed(Detection item, ReputationFeed feed) {
    return item.withCategories(
        feed.categories(WebUrl.of(item.url()).host()), feed.categories(item.url()));
  }
}
