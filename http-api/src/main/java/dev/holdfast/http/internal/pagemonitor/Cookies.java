package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.internal.HttpBounds;
import dev.holdfast.http.internal.call.Call;
import dev.holdfast.http.internal.error.ApiException;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.pagemonitor.LifeCycle.Status;
import dev.holdfast.http.internal.pagemonitor.VisitorWrites.Purpose;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.SeenCookie;
import dev.holdfast.http.object.ZoneReply;
import dev.holdfast.sql.SqlRow;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The cookies that the pages of a zone set and are sent. */
final class Cookies {

  private static final int FULL = 10202;

  private final ZoneStore store;
  private final VisitorWrites writes;

  /** A cookie in the form in which it is shown, with its search key. */
  private record Cookie(ObjectNode shown, Status status) {
    String text(String name) {
      return shown.get(name).stringValue();
    }
  }

  Cookies(ZoneStore store, VisitorWrites writes) {
    this.store = store;
    this.writes = writes;
    store.exec(
        """
        CREATE TABLE IF NOT EXISTS cookie (
          id TEXT PRIMARY KEY, name TEXT NOT NULL, host TEXT NOT NULL, domain TEXT NOT NULL,
          path TEXT NOT NULL, status TEXT NOT NULL, last_seen_micros INTEGER NOT NULL,
          shown TEXT NOT NULL, UNIQUE (name, host, domain, path)
        ) WITHOUT ROWID
        """);
  }

  /** Records a cookie. */
  void record(SeenCookie cookie) {
    Cookie known =
        store.find(
            "SELECT * FROM cookie WHERE name = ? AND host = ? AND (? OR (domain = ? AND path = ?))"
                + " ORDER BY id LIMIT 1",
            Cookies::read,
            cookie.name(),
            cookie.host(),
            !cookie.isSet(),
            cookie.domain(),
            cookie.path());
    if (known == null && isFull() && leastWanted(cookie.isSet()) == null) {
      return;
    }
    Instant seen = cookie.seenAt();
    ObjectNode shown = known == null ? newCookie(cookie) : known.shown();
    if (known != null && isRepeated(known, cookie)) {
      return;
    }
    if (known == null || cookie.isSet()) {
      describe(shown, cookie);
    }
    shown.put("last_seen_at", seen.toString()).set("page_urls", pages(shown, cookie.pages()));
    String written = Json.write(shown);
    if (known == null
        ? !writes.mayAdd(
            cookie.isSet() ? Purpose.NEW_COOKIE : Purpose.NEW_SENT_COOKIE, written.length())
        : !writes.mayChange(known(cookie), written.length())) {
      return;
    }
    if (known == null && isFull()) {
      store.exec("DELETE FROM cookie WHERE id = ?", leastWanted(cookie.isSet()));
    }
    store.exec(
        "INSERT OR REPLACE INTO cookie"
            + " (id, name, host, domain, path, status, last_seen_micros, shown)"
            + " VALUES (?, ?, ?, ?, ?, 'ACTIVE', ?, ?)",
        shown.get("id").stringValue(),
        cookie.name(),
        cookie.host(),
        shown.get("domain_attribute").stringValue(),
        shown.get("path_attribute").stringValue(),
        Detection.micros(seen),
        written);
  }

  private static Purpose known(SeenCookie cookie) {
    return cookie.isSet() ? Purpose.KNOWN_COOKIE : Purpose.KNOWN_SENT_COOKIE;
  }

  private boolean isFull() {
    return store.count("SELECT count(*) AS n FROM cookie") >= HttpBounds.COOKIES_KEPT_MAX;
  }

  /**
   * Returns the cookie that gives its place to another: of those that visitors have sent, the one
   * that was not seen for longest; for one that a response sets, otherwise an inactive one.
   */
  private @Nullable String leastWanted(boolean isSet) {
    return store.find(
        "SELECT id FROM cookie WHERE shown LIKE '%\"type\":\"unknown\"%'"
            + " OR (? AND status = 'INACTIVE')"
            + " ORDER BY shown NOT LIKE '%\"type\":\"unknown\"%', last_seen_micros LIMIT 1",
        row -> ZoneStore.text(row, "id"), isSet);
  }

  private boolean isRepeated(Cookie known, SeenCookie cookie) {
    ObjectNode described = known.shown().deepCopy();
    if (cookie.isSet()) {
      describe(described, cookie);
    }
    List<String> pages =
        known.shown().path("page_urls").valueStream().map(JsonNode::stringValue).toList();
    boolean isSame = described.equals(known.shown()) && pages.containsAll(cookie.pages());
    return known.status() == Status.ACTIVE
        && writes.isRepeated(
            known(cookie), Instant.parse(known.text("last_seen_at")), cookie.seenAt(), isSame);
  }

  private ObjectNode newCookie(SeenCookie cookie) {
    return Json.object()
        .put("id", store.newId())
        .put("name", cookie.name())
        .put("host", cookie.host())
        .put("first_seen_at", cookie.seenAt().toString())
        .put("first_page_url", cookie.pages().getLast());
  }

  private static void describe(ObjectNode shown, SeenCookie cookie) {
    shown
        .put("type", cookie.isSet() ? "first_party" : "unknown")
        .put("domain_attribute", cookie.domain())
        .put("path_attribute", cookie.path())
        .put("http_only_attribute", cookie.httpOnly())
        .put("secure_attribute", cookie.secure())
        .put("same_site_attribute", cookie.sameSite())
        .put("max_age_attribute", cookie.maxAge());
    Instant expires = cookie.expires();
    if (expires == null) {
      shown.remove("expires_attribute");
    } else {
      shown.put("expires_attribute", expires.toString());
    }
  }

  private static ArrayNode pages(ObjectNode shown, List<String> newest) {
    SequencedSet<String> pages = new LinkedHashSet<>(newest);
    shown.path("page_urls").forEach(old -> pages.add(old.stringValue()));
    ArrayNode kept = Json.array();
    pages.stream().limit(HttpBounds.COOKIE_PAGES_MAX).forEach(kept::add);
    return kept;
  }

  ZoneReply list(Call call) {
    CookieQuery query = new CookieQuery(call.query());
    ArrayNode messages = Json.array();
    if (isFull()) {
      messages.add(
          Json.object()
              .put("code", FULL)
              .put(
                  "message",
                  "the zone lists its maximum of "
                      + HttpBounds.COOKIES_KEPT_MAX
                      + " cookies; a new one replaces the one of type unknown that was not seen for"
                      + " longest"));
    }
    ObjectNode dropped = writes.message();
    if (dropped != null) {
      messages.add(dropped);
    }
    return query.answer(store, messages);
  }

  ZoneReply get(Call call) {
    ObjectNode cookie = store.find("SELECT * FROM cookie WHERE id = ?", Cookies::shown, call.id());
    if (cookie == null) {
      throw ApiException.notFound("Could not find cookie");
    }
    return Envelope.ok(cookie);
  }

  static ObjectNode shown(SqlRow row) {
    Cookie cookie = read(row);
    return cookie.shown().put("status", cookie.status().word());
  }

  /** Processes due items. */
  void sweep(Instant now) {
    store.exec(
        "DELETE FROM cookie WHERE last_seen_micros <= ?",
        Detection.micros(LifeCycle.keptSince(now)));
    store.exec(
        "UPDATE cookie SET status = 'INACTIVE' WHERE status = 'ACTIVE' AND last_seen_micros <= ?",
        Detection.micros(LifeCycle.activeSince(now)));
  }

  /** The next time at which something is due; null if nothing is pending. */
  @Nullable Instant due() {
    Instant due = null;
    for (Status status : List.of(Status.ACTIVE, Status.INACTIVE)) {
      Cookie oldest =
          store.find(
              "SELECT * FROM cookie WHERE status = ? ORDER BY last_seen_micros LIMIT 1",
              Cookies::read,
              status.name());
      if (oldest != null) {
        Instant next = LifeCycle.due(status, Instant.parse(oldest.text("last_seen_at")));
        due = due == null || next.isBefore(due) ? next : due;
      }
    }
    return due;
  }

  private static Cookie read(SqlRow row) {
    return new Cookie(
        Json.readObject(ZoneStore.text(row, "shown")),
        Status.valueOf(ZoneStore.text(row, "status")));
  }
}
