package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.internal.report.MonitorBounds;
import dev.holdfast.http.internal.store.Selection;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.monitor.object.CookieSearch;
import dev.holdfast.http.monitor.object.MonitoredCookie;
import dev.holdfast.http.object.PageRange;
import dev.holdfast.http.object.RefusedException;
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
    List<String> names = search.names();
    names.forEach(name -> checkLength("name", name));
    wanted.matches("SELECT name AS t", names);
    wanted.matches(
        "SELECT shown ->> '$.first_page_url' AS t"
            + " UNION ALL SELECT value FROM json_each(shown, '$.page_urls')",
        search.seen().pageUrls());
    wanted.andIf("shown ->> '$.secure_attribute' = ?", search.secure());
    wanted.andIf("shown ->> '$.http_only_attribute' = ?", search.httpOnly());
    wanted.andIf("shown ->> '$.same_site_attribute' = ?", search.sameSite());
    wanted.andIf("shown ->> '$.type' = ?", search.type());
    wanted.andIf("path = ?", checkLength("path", search.path()));
    wanted.andIf("domain = ?", checkLength("domain", search.domain()));
  }

  private static @Nullable String checkLength(String parameter, @Nullable String text) {
    if (text != null && text.length() > MonitorBounds.COOKIE_TEXT_LENGTH_MAX) {
      throw RefusedException.badParameter(
          parameter, "of at most " + MonitorBounds.COOKIE_TEXT_LENGTH_MAX + " characters");
    }
    return text;
  }

  SeenPage<MonitoredCookie> answer(@Nullable PageRange page) {
    return answer(ITEM, "cookie WHERE " + wanted.where(), List.of(), page, MonitoredCookie.class);
  }
}
