package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.analysis.ReputationFeed;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.pagemonitor.LifeCycle.Status;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.url.WebUrl;
import dev.holdfast.sql.SqlRow;
import java.time.Instant;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A script or connection that pages use.
 *
 * @param id from kind, page host and URL
 * @param url its URL
 * @param pageHost the host of the pages
 * @param addedAt when it was added
 * @param firstSeenMicros when it was first reported
 * @param lastSeenMicros when it was last reported
 * @param firstPageUrl the page that first reported it
 * @param pageUrls the last pages, the newest first; an array of JSON
 * @param status its status
 * @param versions the scores of a script, the newest first; an array of JSON objects
 */
record Detection(
    String id,
    String url,
    String pageHost,
    String addedAt,
    long firstSeenMicros,
    long lastSeenMicros,
    String firstPageUrl,
    String pageUrls,
    Status status,
    String versions) {

  static final String CDN_PATH = "/cdn-cgi";
  private static final int MALICIOUS_BELOW = 10;

  static Detection read(SqlRow row) {
    return new Detection(
        ZoneStore.text(row, "id"),
        ZoneStore.text(row, "url"),
        ZoneStore.text(row, "page_host"),
        ZoneStore.text(row, "added_at"),
        row.getLong("first_seen_micros"),
        row.getLong("last_seen_micros"),
        ZoneStore.text(row, "first_page_url"),
        ZoneStore.text(row, "page_urls"),
        Status.valueOf(ZoneStore.text(row, "status")),
        ZoneStore.text(row, "versions"));
  }

  static long micros(Instant time) {
    return Math.addExact(
        Math.multiplyExact(time.getEpochSecond(), 1_000_000L), time.getNano() / 1_000);
  }

  static Instant time(long micros) {
    return Instant.ofEpochSecond(
        Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1_000);
  }

  Instant lastSeenAt() {
    return time(lastSeenMicros);
  }

  List<String> pages() {
    return Json.read(pageUrls).valueStream().map(JsonNode::stringValue).toList();
  }

  List<JsonNode> scores() {
    return Json.read(versions).valueStream().toList();
  }

  boolean isInCdnPath() {
    return url.contains(CDN_PATH);
  }

  String urlHost() {
    return WebUrl.of(url).host();
  }

  /** Returns whether it was never scored, or last before a time. */
  boolean isJudgedBefore(Instant time) {
    List<JsonNode> scores = scores();
    return scores.isEmpty()
        || Instant.parse(scores.getFirst().get("fetched_at").stringValue()).isBefore(time);
  }

  boolean isMalicious(ReputationFeed feed) {
    List<JsonNode> scores = scores();
    return !feed.categories(url).isEmpty()
        || !feed.categories(urlHost()).isEmpty()
        || (!scores.isEmpty()
            && scores.getFirst().get("js_integrity_score").intValue() < MALICIOUS_BELOW);
  }

  /** {@return what a list has as CSV, in the order of its columns} */
  List<String> cells() {
    return List.of(
        id,
        url,
        pageHost,
        status.word(),
        addedAt,
        time(firstSeenMicros).toString(),
        time(lastSeenMicros).toString(),
        firstPageUrl);
  }

  ObjectNode toJson(ReputationFeed feed, boolean script, boolean single) {
    List<String> ofDomain = feed.categories(urlHost());
    List<String> ofUrl = feed.categories(url);
    ObjectNode tree =
        Json.object()
            .put("id", id)
            .put("url", url)
            .put("added_at", addedAt)
            .put("first_seen_at", time(firstSeenMicros).toString())
            .put("last_seen_at", time(lastSeenMicros).toString())
            .put("host", pageHost)
            .put("domain_reported_malicious", !ofDomain.isEmpty())
            .put("url_reported_malicious", !ofUrl.isEmpty())
            .put("first_page_url", firstPageUrl)
            .put("status", status.word())
            .put("url_contains_cdn_cgi_path", isInCdnPath());
    if (!script) {
      ofDomain.forEach(tree.putArray("malicious_domain_categories")::add);
    }
    if (!script || !ofUrl.isEmpty()) {
      ofUrl.forEach(tree.putArray("malicious_url_categories")::add);
    }
    List<JsonNode> scores = script ? scores() : List.of();
    if (!scores.isEmpty()) {
      tree.setAll((ObjectNode) scores.getFirst());
    }
    if (single) {
      tree.set("page_urls", Json.read(pageUrls));
    }
    if (single && script) {
      tree.set("versions", Json.read(versions));
    }
    return tree;
  }
}
