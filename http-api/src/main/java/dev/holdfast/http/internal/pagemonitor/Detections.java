package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.analysis.ReputationFeed;
import dev.holdfast.http.analysis.ScriptScores;
import dev.holdfast.http.internal.HttpBounds;
import dev.holdfast.http.internal.call.Call;
import dev.holdfast.http.internal.error.ApiException;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.pagemonitor.LifeCycle.Status;
import dev.holdfast.http.internal.pagemonitor.VisitorWrites.Purpose;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.ReportedUse;
import dev.holdfast.http.object.ZoneReply;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
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

  private static final int FULL = 10202;

  private final ZoneStore store;
  private final ReputationFeed feed;
  private final VisitorWrites writes;

  Detections(ZoneStore store, ReputationFeed feed, VisitorWrites writes) {
    this.store = store;
    this.writes = writes;
    this.feed = feed;
    store.exec(
        """
        CREATE TABLE IF NOT EXISTS detection (
          id TEXT PRIMARY KEY, kind TEXT NOT NULL, url TEXT NOT NULL, page_host TEXT NOT NULL,
          added_at TEXT NOT NULL, first_seen_micros INTEGER NOT NULL,
          last_seen_micros INTEGER NOT NULL, first_page_url TEXT NOT NULL, page_urls TEXT NOT NULL,
          status TEXT NOT NULL, reports INTEGER NOT NULL, versions TEXT NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS detection_by_age ON detection (status, last_seen_micros)
        """);
  }

  /**
   * Records a use; returns the id of a script that is new, or that may have changed since it was
   * scored.
   */
  @Nullable String record(ReportedUse use, String url) {
    String kind = use.isScript() ? SCRIPT : CONNECTION;
    String id = idOf(kind, use.pageHost(), url);
    long seen = Detection.micros(use.seenAt());
    Detection known = store.find("SELECT * FROM detection WHERE id = ?", Detection::read, id);
    if (known != null) {
      record(known, use, seen);
      return use.isScript() && known.isJudgedBefore(store.now().minus(JUDGED_FOR)) ? id : null;
    }
    int times = writes.addDetection(id, use.source(), url.length() + 2L * use.pageUrl().length());
    if (times == 0 || !makeRoom()) {
      return null;
    }
    store.exec(
        "INSERT INTO detection (id, kind, url, page_host, added_at, first_seen_micros,"
            + " last_seen_micros, first_page_url, page_urls, status, reports, versions)"
            + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '[]')",
        id,
        kind,
        url,
        use.pageHost(),
        store.now().toString(),
        seen,
        seen,
        use.pageUrl(),
        withPage(List.of(), use.pageUrl()),
        LifeCycle.afterReport(times).name(),
        times);
    return use.isScript() ? id : null;
  }

  private boolean isFull() {
    return store.count("SELECT count(*) AS n FROM detection") >= HttpBounds.DETECTIONS_KEPT_MAX;
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
        store.find(
            "SELECT id FROM detection WHERE status <> 'ACTIVE' OR last_seen_micros <= ? ORDER BY"
                + " CASE status WHEN 'INFREQUENT' THEN 0 WHEN 'INACTIVE' THEN 1 ELSE 2 END,"
                + " last_seen_micros LIMIT 1",
            row -> ZoneStore.text(row, "id"),
            Detection.micros(store.now().minus(UNSEEN_FOR)));
    if (leastWanted != null) {
      store.exec("DELETE FROM detection WHERE id = ?", leastWanted);
    }
    return leastWanted != null;
  }

  private void record(Detection known, ReportedUse use, long seen) {
    boolean isSame = known.pages().contains(use.pageUrl());
    if (known.status() == Status.ACTIVE
        && writes.isRepeated(Purpose.KNOWN_DETECTION, known.lastSeenAt(), use.seenAt(), isSame)) {
      return;
    }
    String id = known.id();
    String pages = withPage(known.pages(), use.pageUrl());
    boolean isNews = known.status() != Status.ACTIVE;
    if (writes.mayChange(
        isNews ? Purpose.NEW_DETECTION : Purpose.KNOWN_DETECTION, pages.length())) {
      store.exec(
          "UPDATE detection SET first_seen_micros = min(first_seen_micros, ?),"
              + " last_seen_micros = max(last_seen_micros, ?), page_urls = ?, status = ?,"
              + " reports = reports + 1 WHERE id = ?",
          seen,
          seen,
          pages,
          LifeCycle.afterReport(reports(id) + 1).name(),
          id);
    }
  }

  private long reports(String id) {
    return store.count("SELECT reports AS n FROM detection WHERE id = ?", id);
  }

  private static String withPage(List<String> old, String page) {
    ArrayNode pages = Json.array().add(page);
    int length = page.length();
    for (String other : old) {
      length += other.length();
      if (pages.size() == HttpBounds.DETECTION_PAGES_MAX
          || length > HttpBounds.DETECTION_PAGES_LENGTH_MAX) {
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
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256")
              .digest((kind + "|" + pageHost + "|" + url).getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, 16);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  @Nullable String scriptUrl(String id) {
    return store.find(
        "SELECT url FROM detection WHERE id = ? AND kind = 'script'",
        row -> ZoneStore.text(row, "url"),
        id);
  }

  /** Records the scores of a script; the same content again only renews the time. */
  void judged(String id, String hash, ScriptScores scores) {
    Detection known = store.find("SELECT * FROM detection WHERE id = ?", Detection::read, id);
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
    List<JsonNode> before = known.scores();
    boolean isSame = !before.isEmpty() && before.getFirst().get("hash").asString().equals(hash);
    before.stream()
        .skip(isSame ? 1 : 0)
        .limit(HttpBounds.SCRIPT_VERSIONS_MAX - 1L)
        .forEach(versions::add);
    String written = Json.write(versions);
    if (writes.mayChange(Purpose.SCORE, written.length())) {
      store.exec("UPDATE detection SET versions = ? WHERE id = ?", written, id);
    }
  }

  /** {@return the messages of a list: that the zone is full, or that something was dropped} */
  ArrayNode messages() {
    ArrayNode messages = Json.array();
    if (isFull()) {
      messages.add(
          Json.object()
              .put("code", FULL)
              .put(
                  "message",
                  "the zone lists its maximum of "
                      + HttpBounds.DETECTIONS_KEPT_MAX
                      + " scripts and connections; a new one replaces the infrequent one that was"
                      + " not seen for longest"));
    }
    ObjectNode dropped = writes.message();
    if (dropped != null) {
      messages.add(dropped);
    }
    return messages;
  }

  ZoneReply list(Call call, String kind) {
    return new DetectionQuery(call.query(), feed, kind).answer(store, messages());
  }

  ZoneReply get(Call call, String kind) {
    Detection found =
        store.find(
            "SELECT * FROM detection WHERE id = ? AND kind = ?", Detection::read, call.id(), kind);
    if (found == null) {
      throw ApiException.notFound("Could not find " + kind);
    }
    return Envelope.ok(found.toJson(feed, kind.equals(SCRIPT), true));
  }

  /** Processes due items. */
  void sweep(Instant now) {
    store.exec(
        "DELETE FROM detection WHERE last_seen_micros <= ?"
            + " OR (status = 'INFREQUENT' AND last_seen_micros <= ?)",
        Detection.micros(LifeCycle.keptSince(now)),
        Detection.micros(LifeCycle.infrequentSince(now)));
    store.exec(
        "UPDATE detection SET status = 'INACTIVE'"
            + " WHERE status = 'ACTIVE' AND last_seen_micros <= ?",
        Detection.micros(LifeCycle.activeSince(now)));
  }

  /** The next time at which something is due; null if nothing is pending. */
  @Nullable Instant due() {
    Instant due = null;
    for (Status status : Status.values()) {
      Detection oldest =
          store.find(
              "SELECT * FROM detection WHERE status = ? ORDER BY last_seen_micros LIMIT 1",
              Detection::read,
              status.name());
      if (oldest != null) {
        Instant next = LifeCycle.due(status, oldest.lastSeenAt());
        due = due == null || next.isBefore(due) ? next : due;
      }
    }
    return due;
  }
}
