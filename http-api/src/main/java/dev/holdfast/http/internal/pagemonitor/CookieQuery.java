package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.internal.HttpBounds;
import dev.holdfast.http.internal.call.Query;
import dev.holdfast.http.internal.error.ApiException;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.internal.reply.Page;
import dev.holdfast.http.internal.store.Selection;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.ZoneReply;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The query of a list of cookies. The store filters, sorts and pages; all parameters are checked
 * first, so that a mistake is reported even if there are no cookies.
 */
final class CookieQuery {

  private static final List<String> COLUMNS =
      List.of(
          "id",
          "name",
          "host",
          "type",
          "status",
          "domain_attribute",
          "path_attribute",
          "secure_attribute",
          "http_only_attribute",
          "same_site_attribute",
          "max_age_attribute",
          "expires_attribute",
          "first_seen_at",
          "last_seen_at",
          "first_page_url");

  private static final String FROM = "SELECT * FROM cookie WHERE ";

  private final Query query;
  private final Selection wanted = new Selection("1");
  private final String order;

  CookieQuery(Query query) {
    this.query = query;
    wanted.in("status", DetectionQuery.statuses(query));
    wanted.matches("SELECT host AS t", query.items("hosts"));
    List<String> names = query.items("name");
    names.forEach(name -> checkLength("name", name));
    wanted.matches("SELECT name AS t", names);
    wanted.matches(
        "SELECT json_extract(shown, '$.first_page_url') AS t"
            + " UNION ALL SELECT value FROM json_each(shown, '$.page_urls')",
        query.items("page_url"));
    flag("secure", "secure_attribute");
    flag("http_only", "http_only_attribute");
    word("same_site", "same_site_attribute", Set.of("lax", "strict", "none"));
    word("type", "type", Set.of("first_party", "unknown"));
    text("path", "path_attribute");
    text("domain", "domain_attribute");
    // Without its last letter, a time of fewer digits comes first.
    order =
        DetectionQuery.order(
            query, "last_seen_micros", "rtrim(json_extract(shown, '$.first_seen_at'), 'Z')");
  }

  private void flag(String parameter, String attribute) {
    if (query.text(parameter) != null) {
      wanted.and("json_extract(shown, ?) = ?", "$." + attribute, query.flag(parameter, false));
    }
  }

  private void word(String parameter, String attribute, Set<String> words) {
    String word = query.word(parameter, words, "");
    if (!word.isEmpty()) {
      wanted.and("json_extract(shown, ?) = ?", "$." + attribute, word);
    }
  }

  private void text(String parameter, String attribute) {
    String text = query.text(parameter);
    if (text != null) {
      checkLength(parameter, text);
      wanted.and("json_extract(shown, ?) = ?", "$." + attribute, text);
    }
  }

  private static void checkLength(String parameter, String text) {
    if (text.length() > HttpBounds.COOKIE_TEXT_LENGTH_MAX) {
      throw ApiException.badParameter(
          parameter, "of at most " + HttpBounds.COOKIE_TEXT_LENGTH_MAX + " characters");
    }
  }

  ZoneReply answer(ZoneStore store, ArrayNode messages) {
    String ordered = FROM + wanted.where() + " ORDER BY " + order + " LIMIT ? OFFSET ?";
    if (Csv.isWanted(query)) {
      Csv csv = new Csv(COLUMNS);
      for (ObjectNode cookie :
          store.list(ordered, Cookies::shown, wanted.bindings(List.of(-1, 0)))) {
        csv.row(COLUMNS.stream().map(column -> cookie.path(column).asString("")).toList());
      }
      return csv.reply();
    }
    long count =
        store.count("SELECT count(*) AS n FROM cookie WHERE " + wanted.where(), wanted.bindings());
    Page page = DetectionQuery.page(query, count);
    ArrayNode items = Json.array();
    store
        .list(ordered, Cookies::shown, wanted.bindings(List.of(page.size(), page.offset())))
        .forEach(items::add);
    return Envelope.page(items, page, count, messages);
  }
}
