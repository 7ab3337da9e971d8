package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.analysis.ReputationFeed;
import dev.holdfast.http.analysis.ScriptScores;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.pagemonitor.LifeCycle.Status;
import dev.holdfast.http.internal.pagemonitor.VisitorWrites.Purpose;
import dev.holdfast.http.internal.report.MonitorBounds;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.monitor.object.Detection;
import dev.holdfast.http.monitor.object.DetectionSearch;
import dev.holdfast.http.monitor.object.Notice;
import dev.holdfast.http.monitor.object.ReportedUse;
import dev.holdfast.http.object.Ids;
import dev.holdfast.http.object.PageRange;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The scripts and connections that the pages of a zone use. */
final class Detections {

  static final String SCRIPT = "script";
  static final String CONNECTION = "connection";

  /** A script is scored again after this time, as long as it is seen. */
  private static final Duration JUDGED_FOR = Duration.ofDays(1);

  /** An active detection that was not seen for this time may give its place in a full zone. */
  private static final Duration UNSEEN_FOR = Duration.ofDays(1);

  private static final String FULL =
      MonitorBounds.DETECTIONS_KEPT_MAX
          + " scripts and connections; a new one replaces the infrequent one that was not seen for"
          + " longest";

  private final ZoneStore store;
  private final ReputationFeed feed;
  private final VisitorWrites writes;

  Detections(ZoneStore store, ReputationFeed feed, VisitorWrites writes) {
    this.store = store;
    this.writes = writes;
    this.feed = feed;
  }

  /** What is known of a detection; the scores are an array of JSON, the newest first. */
  private record Known(
      Status status, long lastSeenMicros, String pageUrls, long reports, String versions) {

    List<String> pages() {
      return Json.read(pageUrls).valueStream().map(JsonNode::stringValue).toList();
    }

    /** Returns whether it was never scored, or last before a time. */
    boolean isJudgedBefore(Instant time) {
      JsonNode newest = Json.read(versions).path(0);
      return newest.isMissingNode()
          || Instant.parse(newest.get("fetched_at").stringValue()).isBefore(time);
    }
  }

  private @Nullable Known find(String id) {
    return store.find(
        "SELECT status, last_seen_micros, page_urls, reports, versions FROM detection WHERE id = ?",
        Known.class,
        id);
  }

  /**
   * Records a use; returns the id of a script that is new, or that may have changed since it was
   * scored.
   */
  Optional<String> record(ReportedUse use, String url) {
    String kind = use.isScript() ? SCRIPT : CONNECTION;
    String id = idOf(kind, use.pageHost(), url);
    Known known = find(id);
    long characters = url.length() + 2L * use.pageUrl().length();
    long reports =
        known == null ? writes.addDetection(id, use.source(), characters) : reports(id, known, use);
    if (known == null && (reports == 0 || !makeRoom())) {
      return Optional.empty();
    }
    if (reports > 0) {
      long seen = LifeCycle.micros(use.seenAt());
      store.exec(
          """
          INSERT INTO detection (id, kind, url, page_host, added_at, first_seen_micros,
            last_seen_micros, first_page_url, page_urls, status, reports, versions)
          VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7, ?8, ?9, ?10, '[]')
          ON CONFLICT DO UPDATE SET first_seen_micros = min(first_seen_micros, ?6),
            last_seen_micros = max(last_seen_micros, ?6), page_urls = ?8, status = ?9, reports = ?10
          """,
          id,
          kind,
          url,
          use.pageHost(),
          store.now().toString(),
          seen,
          use.pageUrl(),
          withPage(known == null ? List.of() : known.pages(), use.pageUrl()),
          Status.afterReports(reports).name(),
          reports);
    }
    return Optional.of(id)
        .filter(script -> use.isScript())
        .filter(script -> known == null || known.isJudgedBefore(store.now().minus(JUDGED_FOR)));
  }

  /** Returns the number of reports of a known detection with this one; 0 if it is not recorded. */
  private long reports(String id, Known known, ReportedUse use) {
    boolean isSame = known.pages().contains(use.pageUrl());
    int characters = withPage(known.pages(), use.pageUrl()).length();
    if (known.status() != Status.ACTIVE) {
      int more = writes.addReport(id, use.source(), characters);
      return more == 0 ? 0 : known.reports() + more;
    }
    Instant lastSeen = LifeCycle.time(known.lastSeenMicros());
    return !writes.isRepeated(Purpose.KNOWN_DETECTION, lastSeen, use.seenAt(), isSame)
            && writes.mayWrite(Purpose.KNOWN_DETECTION, false, characters)
        ? known.reports() + 1
        : 0;
  }

  private boolean isFull() {
    return store.count("SELECT count(*) AS n FROM detection") >= MonitorBounds.DETECTIONS_KEPT_MAX;
  }

  /**
   * Makes room for one more, if there are too many: the infrequent one that was not seen for
   * longest gives its place, then the inactive one, then one that was not seen for a day.
   */
  private boolean makeRoom() {
    if (!isFull()) {
      return true;
    }
    String leastWanted =
        store.text(
            "SELECT id AS text FROM detection WHERE status <> 'ACTIVE' OR last_seen_micros <= ?"
                + " ORDER BY CASE status WHEN 'INFREQUENT' THEN 0 WHEN 'INACTIVE' THEN 1 ELSE 2"
                + " END, last_seen_micros LIMIT 1",
            LifeCycle.micros(store.now().minus(UNSEEN_FOR)));
    if (leastWanted != null) {
      store.exec("DELETE FROM detection WHERE id = ?", leastWanted);
    }
    return leastWanted != null;
  }

  private static String withPage(List<String> old, String page) {
    ArrayNode pages = Json.array().add(page);
    int length = page.length();
    for (String other : old) {
      length += other.length();
      if (pages.size() == MonitorBounds.DETECTION_PAGES_MAX
          || length > MonitorBounds.DETECTION_PAGES_LENGTH_MAX) {
        break;
      }
      if (!other.equals(page)) {
        pages.add(other);
      }
    }
    return Json.write(pages);
  }

  /** The same use always has the same id, so a repeated report changes nothing. */
  private static String idOf(String kind, String pageHost, String url) {
    return Ids.hash((kind + "|" + pageHost + "|" + url).getBytes(StandardCharsets.UTF_8))
        .substring(0, 32);
  }

  @Nullable String scriptUrl(String id) {
    return store.text("SELECT url AS text FROM detection WHERE id = ? AND kind = 'script'", id);
  }

  /** Records the scores of a script; the same content again only renews the time. */
  void judged(String id, String hash, ScriptScores scores) {
    Known known = find(id);
    if (known == null) {
      return;
    }
    ObjectNode version =
        Json.object()
            .put("hash", hash)
            .put("js_integrity_score", scores.jsIntegrity())
            .put("obfuscation_score", scores.obfuscation())
            .put("dataflow_score", scores.dataflow())
            .put("malware_score", scores.malware())
            .put("cryptomining_score", scores.cryptomining())
            .put("magecart_score", scores.magecart())
            .put("fetched_at", store.now().toString());
    ArrayNode versions = Json.array().add(version);
    Json.read(known.versions())
        .valueStream()
        .dropWhile(before -> before.get("hash").asString().equals(hash))
        .limit(MonitorBounds.SCRIPT_VERSIONS_MAX - 1L)
        .forEach(versions::add);
    String written = Json.write(versions);
    if (writes.mayWrite(Purpose.SCORE, false, written.length())) {
      store.exec("UPDATE detection SET versions = ? WHERE id = ?", written, id);
    }
  }

  SeenPage<Detection> list(DetectionSearch wanted, @Nullable PageRange page, String kind) {
    return new DetectionQuery(store, wanted, feed, kind).answer(page);
  }

  List<Notice> notices() {
    return writes.notices(isFull(), FULL);
  }

  Detection get(String id, String kind) {
    String more = kind.equals(SCRIPT) ? ", '$.versions', json(versions))" : ")";
    Detection found =
        SeenQuery.get(
            store,
            kind,
            "json_set(" + DetectionQuery.ITEM + ", '$.page_urls', json(page_urls)" + more,
            "detection WHERE id = ? AND kind = ?",
            Detection.class,
            id,
            kind);
    return DetectionQuery.completed(found, feed);
  }
}
