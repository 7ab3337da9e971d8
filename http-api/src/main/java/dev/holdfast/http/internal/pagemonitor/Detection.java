package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.analysis.ReputationFeed;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.pagemonitor.LifeCycle.Status;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.url.WebUrl;
import dev.holdfast.sql.SqlRow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A script or connection that pages use.
 *
 * @param id from kind, page host and URL
 * @param url its URL
 * @param pageHost the host of the pages
 * @param addedAt when it was added
 * @param firstSeenAt when it was first reported
 * @param lastSeenAt when it was last reported
 * @param firstPageUrl the page that first reported it
 * @param pageUrls the last pages, the newest first
 * @param status its status
 * @param versions the scores of a script, the newest first; JSON objects
 */
record Detection(
    String id,
    String url,
    String pageHost,
    Instant addedAt,
    Instant firstSeenAt,
    Instant lastSeenAt,
    String firstPageUrl,
    List<String> pageUrls,
    Status status,
    List<JsonNode> versions) {

  private static final String CDN_PATH = "/cdn-cgi";
  private static final int MALICIOUS_BELOW = 10;

  static Detection read(SqlRow row) {
    List<String> pages = new ArrayList<>();
    Json.read(ZoneStore.text(row, "page_urls")).forEach(page -> pages.add(page.stringValue()));
    List<JsonNode> versions = new ArrayList<>();
    Json.read(ZoneStore.text(row, "versions")).forEach(versions::add);
    return new Detection(
        ZoneStore.text(row, "id"),
        ZoneStore.text(row, "url"),
        ZoneStore.text(row, "page_host"),
        Instant.parse(ZoneStore.text(row, "added_at")),
        time(row, "first_seen_micros"),
        time(row, "last_seen_micros"),
        ZoneStore.text(row, "first_page_url"),
        pages,
        Status.valueOf(ZoneStore.text(row, "status")),
        versions);
  }

  static long micros(Instant time) {
    return Math.addExact(
        Math.multiplyExact(time.getEpochSecond(), 1_000_000L), time.getNano() / 1_000);
  }

  static Instant time(SqlRow row, String column) {
    long micros = row.getLong(column);
    return Instant.ofEpochSecond(
        Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1_000);
  }

  boolean isInCdnPath() {
    return url.contains(CDN_PATH);
  }

  String urlHost() {
    return WebUrl.of(url).host();
  }

  @Nullable String hash() {
    return versions.isEmpty() ? null : versions.getFirst().get("hash").stringValue();
  }

  /** Returns whether it was never scored, or last before a time. */
  boolean isJudgedBefore(Instant time) {
    return versions.isEmpty()
        || Instant.parse(versions.getFirst().get("fetched_at").stringValue()).isBefore(time);
  }

  boolean isMalicious(ReputationFeed feed) {
    return !feed.categories(url).isEmpty()
        || !feed.categories(urlHost()).isEmpty()
        || (!versions.isEmpty()
            && versions.getFirst().get("js_integrity_score").intValue() < MALICIOUS_BELOW);
  }

  ObjectNode toJson(ReputationFeed feed, boolean script, boolean single) {
    List<String> ofDomain = feed.categories(urlHost());
    List<String> ofUrl = feed.categories(url);
    ObjectNode tree =
        Json.object()
            .put("id", id)
            .put("url", url)
            .put("added_at", addedAt.toString())
            .put("first_seen_at", firstSeenAt.toString())
            .put("last_seen_at", lastSeenAt.toString())
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
    if (script && !versions.isEmpty()) {
      tree.setAll((ObjectNode) versions.getFirst());
    }
    if (single) {
      pageUrls.forEach(tree.putArray("page_urls")::add);
    }
    if (single && script) {
      ArrayNode list = tree.putArray("versions");
      versions.forEach(list::add);
    }
    return tree;
  }
}
