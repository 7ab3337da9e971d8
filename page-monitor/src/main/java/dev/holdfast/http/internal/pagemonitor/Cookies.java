package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.pagemonitor.LifeCycle.Status;
import dev.holdfast.http.internal.pagemonitor.VisitorWrites.Purpose;
import dev.holdfast.http.internal.report.MonitorBounds;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.monitor.object.CookieSearch;
import dev.holdfast.http.monitor.object.MonitoredCookie;
import dev.holdfast.http.monitor.object.Notice;
import dev.holdfast.http.monitor.object.SeenCookie;
import dev.holdfast.http.object.PageRange;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/** The cookies that the pages of a zone set and are sent. */
final class Cookies {

  private static final String FULL =
      MonitorBounds.COOKIES_KEPT_MAX
          + " cookies; a new one replaces the one of type unknown that was not seen for longest";

  private final ZoneStore store;
  private final VisitorWrites writes;

  /** A row of the table: a cookie in the form in which it is shown, with its search keys. */
  private record Cookie(
      String id,
      String name,
      String host,
      String domain,
      String path,
      Status status,
      long lastSeenMicros,
      String shown) {}

  Cookies(ZoneStore store, VisitorWrites writes) {
    this.store = store;
    this.writes = writes;
  }

  /** Records a cookie. */
  void record(SeenCookie cookie) {
    Cookie known =
        store.find(
            "SELECT * FROM cookie WHERE name = ? AND host = ? AND (? OR (domain = ? AND path = ?))"
                + " ORDER BY id LIMIT 1",
            Cookie.class,
            cookie.name(),
            cookie.host(),
            !cookie.isSet(),
            cookie.domain(),
            cookie.path());
    String displaced = known == null && isFull() ? leastWanted(cookie.isSet()) : "";
    ObjectNode shown = known == null ? newCookie(cookie) : Json.readObject(known.shown());
    ObjectNode before = shown.deepCopy();
    if (known == null || cookie.isSet()) {
      describe(shown, cookie);
    }
    if (displaced == null || (known != null && isRepeated(known, shown.equals(before), cookie))) {
      return;
    }
    shown
        .put("last_seen_at", cookie.seenAt().toString())
        .set("page_urls", Json.array(pages(shown, cookie)));
    String written = Json.write(shown);
    Purpose purpose =
        known != null
            ? known(cookie)
            : cookie.isSet() ? Purpose.NEW_COOKIE : Purpose.NEW_SENT_COOKIE;
    if (writes.mayWrite(purpose, known == null, written.length())) {
      store.exec("DELETE FROM cookie WHERE id = ?", displaced);
      store.put(
          "cookie",
          "id",
          new Cookie(
              shown.get("id").stringValue(),
              cookie.name(),
              cookie.host(),
              shown.get("domain_attribute").stringValue(),
              shown.get("path_attribute").stringValue(),
              Status.ACTIVE,
              LifeCycle.micros(cookie.seenAt()),
              written));
    }
  }

  private static Purpose known(SeenCookie cookie) {
    return cookie.isSet() ? Purpose.KNOWN_COOKIE : Purpose.KNOWN_SENT_COOKIE;
  }

  private boolean isFull() {
    return store.count("SELECT count(*) AS n FROM cookie") >= MonitorBounds.COOKIES_KEPT_MAX;
  }

  /**
   * Returns the cookie that gives its place to another: of those that visitors have sent, the one
   * that was not seen for longest; for one that a response sets, otherwise an inactive one.
   */
  private @Nullable String leastWanted(boolean isSet) {
    return store.text(
        "SELECT id AS text FROM cookie WHERE shown LIKE '%\"type\":\"unknown\"%'"
            + " OR (? AND status = 'INACTIVE')"
            + " ORDER BY shown NOT LIKE '%\"type\":\"unknown\"%', last_seen_micros LIMIT 1",
        isSet);
  }

  private boolean isRepeated(Cookie known, boolean isDescribed, SeenCookie cookie) {
    JsonNode pages = Json.read(known.shown()).path("page_urls");
    boolean isSame =
        isDescribed
            && pages.valueStream().map(JsonNode::stringValue).toList().containsAll(cookie.pages());
    return known.status() == Status.ACTIVE
        && writes.isRepeated(
            known(cookie), LifeCycle.time(known.lastSeenMicros()), cookie.seenAt(), isSame);
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

  private static Stream<JsonNode> pages(ObjectNode shown, SeenCookie cookie) {
    return Stream.concat(
            cookie.pages().stream().map(StringNode::valueOf), shown.path("page_urls").valueStream())
        .distinct()
        .limit(MonitorBounds.COOKIE_PAGES_MAX);
  }

  SeenPage<MonitoredCookie> list(CookieSearch wanted, @Nullable PageRange page) {
    return new CookieQuery(store, wanted).answer(page);
  }

  List<Notice> notices() {
    return writes.notices(isFull(), FULL);
  }

  MonitoredCookie get(String id) {
    return SeenQuery.get(
        store, "cookie", CookieQuery.ITEM, "cookie WHERE id = ?", MonitoredCookie.class, id);
  }
}
