package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.internal.store.Selection;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.monitor.object.CookieSearch;
import dev.holdfast.http.monitor.object.MonitoredCookie;
import dev.holdfast.http.object.PageRange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The query of a list of cookies. */
final class CookieQuery extends SeenQuery {

  /** SQL of a cookie as it is shown. */
  static final String ITEM = "json_set(shown, '$.status', lower(status))";

  CookieQuery(ZoneStore store, CookieSearch search) {
    // Without its last letter, a time of fewer digits comes first.
    super(
        store,
        search.seen(),
        new Selection("1"),
        "host",
        "rtrim(shown ->> '$.first_seen_at', 'Z')");
    wanted.matches("SELECT name AS t", search.names());
    wanted.matches(
        "SELECT shown ->> '$.first_page_url' AS t"
            + " UNION ALL SELECT value FROM json_each(shown, '$.page_urls')",
        search.pageUrls());
    wanted.andIf("shown ->> '$.secure_attribute' = ?", search.secure());
    wanted.andIf("shown ->> '$.http_only_attribute' = ?", search.httpOnly());
    wanted.andIf("shown ->> '$.same_site_attribute' = ?", search.sameSite());
    wanted.andIf("shown ->> '$.type' = ?", search.type());
    wanted.andIf("path = ?", search.path());
    wanted.andIf("domain = ?", search.domain());
  }

  SeenPage<MonitoredCookie> answer(@Nullable PageRange page) {
    return answer(ITEM, "cookie WHERE " + wanted.where(), List.of(), page, MonitoredCookie.class);
  }
}
