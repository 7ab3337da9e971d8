package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.internal.HttpBounds;
import dev.holdfast.http.internal.call.Call;
import dev.holdfast.http.internal.error.ApiException;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.pagemonitor.LifeCycle.Status;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.ZoneReply;
import dev.holdfast.sql.SqlRow;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The cookies that the pages of a zone set and are sent. */
final class Cookies {

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

  /**
   * Records a cookie.
   *
   * @param cookie the cookie
   * @param host the host of the page
   * @param page the page, without scheme, query and fragment
   * @param isSet whether a response has set it; otherwise a request has sent it, which has less
   *     information
   */
  void record(SetCookie cookie, String host, String page, boolean isSet) {
    Cookie known =
        store.find(
            "SELECT * FROM cookie WHERE name = ? AND host = ? AND (? OR (domain = ? AND path = ?))"
                + " ORDER BY id LIMIT 1",
            Cookies::read,
            cookie.name(),
            host,
            !isSet,
            cookie.domain(),
            cookie.path());
    if (known == null
        && store.count("SELECT count(*) AS n FROM cookie") >= HttpBounds.COOKIES_KEPT_MAX) {
      return;
    }
    Instant now = store.now();
    ObjectNode shown = known == null ? newCookie(cookie, host, page, now) : known.shown();
    if (known != null && isRepeated(known, cookie, page, isSet, now)) {
      return;
    }
    if (known == null || isSet) {
      describe(shown, cookie, isSet);
    }
    shown.put("last_seen_at", now.toString()).set("page_urls", pages(shown, page));
    String written = Json.write(shown);
    if (known == null ? !writes.mayAdd(written.length()) : !writes.mayChange(written.length())) {
      return;
    }
    store.exec(
        "INSERT OR REPLACE INTO cookie"
            + " (id, name, host, domain, path, status, last_seen_micros, shown)"
            + " VALUES (?, ?, ?, ?, ?, 'ACTIVE', ?, ?)",
        shown.get("id").stringValue(),
        cookie.name(),
        host,
        shown.get("domain_attribute").stringValue(),
        shown.get("path_attribute").stringValue(),
        Detection.micros(now),
        written);
  }

  private boolean isRepeated(
      Cookie known, SetCookie cookie, String page, boolean isSet, Instant now) {
    ObjectNode described = known.shown().deepCopy();
    if (isSet) {
      describe(described, cookie, true);
    }
    boolean isSame =
        described.equals(known.shown())
            && known
                .shown()
                .path("page_urls")
                .valueStream()
                .anyMatch(p -> p.stringValue().equals(page));
    return known.status() == Status.ACTIVE
        && writes.isRepeated(Instant.parse(known.text("last_seen_at")), now, isSame);
  }

  private ObjectNode newCookie(SetCookie cookie, String host, String page, Instant now) {
    return Json.object()
        .put("id", store.newId())
        .put("name", cookie.name())
        .put("host", host)
        .put("first_seen_at", now.toString())
        .put("first_page_url", page);
  }

  private static void describe(ObjectNode shown, SetCookie cookie, boolean isSet) {
    shown
        .put("type", isSet ? "first_party" : "unknown")
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

  private static ArrayNode pages(ObjectNode shown, String page) {
    ArrayNode pages = Json.array().add(page);
    for (JsonNode old : shown.path("page_urls")) {
      if (!old.stringValue().equals(page) && pages.size() < HttpBounds.COOKIE_PAGES_MAX) {
        pages.add(old);
      }
    }
    return pages;
  }

  ZoneReply list(Call call) {
    CookieQuery query = new CookieQuery(call.query());
    return query.answer(store.list("SELECT * FROM cookie ORDER BY id", Cookies::shown));
  }

  ZoneReply get(Call call) {
    ObjectNode cookie = store.find("SELECT * FROM cookie WHERE id = ?", Cookies::shown, call.id());
    if (cookie == null) {
      throw ApiException.notFound("Could not find cookie");
    }
    return Envelope.ok(cookie);
  }

  private static ObjectNode shown(SqlRow row) {
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
