package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.internal.HttpBounds;
import dev.holdfast.http.internal.call.Query;
import dev.holdfast.http.internal.error.ApiException;
import dev.holdfast.http.internal.store.Selection;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.ZoneReply;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;

/** The query of a list of cookies. */
final class CookieQuery extends SeenQuery {

  /** SQL of a cookie as it is shown. */
  static final String ITEM = "json_set(shown, '$.status', lower(status))";

  CookieQuery(ZoneStore store, Query query) {
    // Without its last letter, a time of fewer digits comes first.
    super(store, query, new Selection("1"), "host", "rtrim(shown ->> '$.first_seen_at', 'Z')");
    List<String> names = query.items("name");
    names.forEach(name -> checkLength("name", name));
    wanted.matches("SELECT name AS t", names);
    wanted.matches(
        "SELECT shown ->> '$.first_page_url' AS t"
            + " UNION ALL SELECT value FROM json_each(shown, '$.page_urls')",
        query.items("page_url"));
    Set<String> sites = Set.of("lax", "strict", "none");
    wanted.andIf("shown ->> '$.secure_attribute' = ?", query.flag("secure"));
    wanted.andIf("shown ->> '$.http_only_attribute' = ?", query.flag("http_only"));
    wanted.andIf("shown ->> '$.same_site_attribute' = ?", query.word("same_site", sites));
    wanted.andIf("shown ->> '$.type' = ?", query.word("type", Set.of("first_party", "unknown")));
    wanted.andIf("path = ?", checkLength("path", query.text("path")));
    wanted.andIf("domain = ?", checkLength("domain", query.text("domain")));
  }

  private static @Nullable String checkLength(String parameter, @Nullable String text) {
    if (text != null && text.length() > HttpBounds.COOKIE_TEXT_LENGTH_MAX) {
      throw ApiException.badParameter(
          parameter, "of at most " + HttpBounds.COOKIE_TEXT_LENGTH_MAX + " characters");
    }
    return text;
  }

  ZoneReply answer(ArrayNode messages) {
    return answer(
        ITEM,
        "cookie WHERE " + wanted.where(),
        List.of(),
        UnaryOperator.identity(),
        "Cookie",
        messages);
  }
}
