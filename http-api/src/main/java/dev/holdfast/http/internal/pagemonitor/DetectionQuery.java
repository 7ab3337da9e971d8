package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.analysis.ReputationFeed;
import dev.holdfast.http.analysis.ScriptScores;
import dev.holdfast.http.internal.call.Query;
import dev.holdfast.http.internal.store.Selection;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.ZoneReply;
import dev.holdfast.http.url.WebUrl;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The query of a list of scripts or connections. */
final class DetectionQuery extends SeenQuery {

  private static final String TIME =
      "strftime('%%Y-%%m-%%dT%%H:%%M:%%S', %1$s / 1000000, 'unixepoch')"
          + " || rtrim(rtrim(printf('.%%06d', %1$s %% 1000000), '0'), '.') || 'Z'";

  /** SQL of a detection as it is shown, with its newest scores. */
  static final String ITEM =
      """
      json_patch(json_object(
        'id', id, 'url', url, 'host', page_host, 'status', lower(status), 'added_at', added_at,
        'first_seen_at', %s, 'last_seen_at', %s, 'first_page_url', first_page_url,
        'url_contains_cdn_cgi_path', json(iif(instr(url, '/cdn-cgi') > 0, 'true', 'false'))),
        coalesce(versions -> '$[0]', '{}'))
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
  private final boolean isScript;

  DetectionQuery(ZoneStore store, Query query, ReputationFeed feed, String kind) {
    super(store, query, new Selection("kind = ?", kind), "page_host", "first_seen_micros");
    this.feed = feed;
    this.isScript = kind.equals(Detections.SCRIPT);
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
      wanted.and("instr(url, ?) = 0", "/cdn-cgi");
    }
  }

  ZoneReply answer(ArrayNode messages) {
    String all = "detection WHERE " + wanted.where();
    List<String> malicious = List.of();
    if (query.flag("prioritize_malicious", false)) {
      // The feed is no table.
      malicious =
          items(store, ITEM, all, wanted.bindings())
              .filter(item -> isMalicious(completed(item)))
              .map(item -> item.get("id").stringValue())
              .toList();
    }
    boolean isOnce = isScript && query.flag("exclude_duplicates", true);
    String from = isOnce ? WITHOUT_DUPLICATES.replace("WANTED", wanted.where()) : all;
    return answer(
        ITEM, from, malicious, this::completed, isScript ? "Script" : "Connection", messages);
  }

  private static boolean isMalicious(ObjectNode item) {
    return item.get("domain_reported_malicious").booleanValue()
        || item.get("url_reported_malicious").booleanValue()
        || item.path("js_integrity_score").asInt(99) < ScriptScores.MALICIOUS_BELOW;
  }

  private ObjectNode completed(ObjectNode item) {
    return completed(item, feed, isScript);
  }

  /** Adds what a feed knows. */
  static ObjectNode completed(ObjectNode item, ReputationFeed feed, boolean isScript) {
    String url = item.get("url").stringValue();
    List<String> ofUrl = feed.categories(url);
    List<String> ofDomain = feed.categories(WebUrl.of(url).host());
    item.put("domain_reported_malicious", !ofDomain.isEmpty())
        .put("url_reported_malicious", !ofUrl.isEmpty());
    if (!isScript) {
      ofDomain.forEach(item.putArray("malicious_domain_categories")::add);
    }
    if (!isScript || !ofUrl.isEmpty()) {
      ofUrl.forEach(item.putArray("malicious_url_categories")::add);
    }
    return item;
  }
}
