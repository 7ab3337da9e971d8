package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.internal.HttpBounds;
import dev.holdfast.http.internal.call.Query;
import dev.holdfast.http.internal.error.ApiException;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.internal.reply.Page;
import dev.holdfast.http.object.ZoneReply;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The query of a list of cookies, in the form in which cookies are shown. All parameters are
 * checked first, so that a mistake is reported even if there are no cookies.
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

  private final Query query;
  private final Set<String> statuses;
  private final List<String> hosts;
  private final List<String> names;
  private final List<String> pages;

  /** The required values of attributes. */
  private final Map<String, Object> attributes = new TreeMap<>();

  private final Comparator<ObjectNode> order;

  CookieQuery(Query query) {
    this.query = query;
    statuses = DetectionQuery.statuses(query);
    hosts = query.items("hosts");
    names = query.items("name");
    pages = query.items("page_url");
    if (names.stream().anyMatch(name -> name.length() > HttpBounds.COOKIE_TEXT_LENGTH_MAX)) {
      throw ApiException.badParameter(
          "name", "of at most " + HttpBounds.COOKIE_TEXT_LENGTH_MAX + " characters");
    }
    flag("secure", "secure_attribute");
    flag("http_only", "http_only_attribute");
    word("same_site", "same_site_attribute", Set.of("lax", "strict", "none"));
    word("type", "type", Set.of("first_party", "unknown"));
    text("path", "path_attribute");
    text("domain", "domain_attribute");
    order = order(query);
  }

  private void flag(String parameter, String attribute) {
    if (query.text(parameter) != null) {
      attributes.put(attribute, query.flag(parameter, false));
    }
  }

  private void word(String parameter, String attribute, Set<String> words) {
    String word = query.word(parameter, words, "");
    if (!word.isEmpty()) {
      attributes.put(attribute, word);
    }
  }

  private void text(String parameter, String attribute) {
    String text = query.text(parameter);
    if (text != null && text.length() > HttpBounds.COOKIE_TEXT_LENGTH_MAX) {
      throw ApiException.badParameter(
          parameter, "of at most " + HttpBounds.COOKIE_TEXT_LENGTH_MAX + " characters");
    }
    if (text != null) {
      attributes.put(attribute, text);
    }
  }

  private static Comparator<ObjectNode> order(Query query) {
    String by = query.word("order_by", Set.of("first_seen_at", "last_seen_at"), "last_seen_at");
    Comparator<ObjectNode> order =
        Comparator.comparing(cookie -> Instant.parse(cookie.get(by).stringValue()));
    if (query.word("direction", Set.of("asc", "desc"), "desc").equals("desc")) {
      order = order.reversed();
    }
    return order.thenComparing(cookie -> cookie.get("id").stringValue());
  }

  ZoneReply answer(List<ObjectNode> all, ArrayNode messages) {
    boolean asTable = Csv.isWanted(query);
    List<ObjectNode> found = all.stream().filter(this::isWanted).sorted(order).toList();
    if (asTable) {
      return csv(found);
    }
    Page page = DetectionQuery.page(query, found.size());
    ArrayNode items = Json.array();
    found.stream().skip(page.offset()).limit(page.size()).forEach(items::add);
    return Envelope.page(items, page, found.size(), messages);
  }

  private boolean isWanted(ObjectNode cookie) {
    return statuses.contains(cookie.get("status").stringValue())
        && Wildcards.anyMatches(hosts, cookie.get("host").stringValue())
        && Wildcards.anyMatches(names, cookie.get("name").stringValue())
        && isOnPage(cookie)
        && attributes.entrySet().stream()
            .allMatch(wanted -> is(cookie.get(wanted.getKey()), wanted.getValue()));
  }

  private static boolean is(JsonNode attribute, Object wanted) {
    return wanted instanceof Boolean flag
        ? attribute.booleanValue() == flag
        : attribute.stringValue().equals(wanted);
  }

  private boolean isOnPage(ObjectNode cookie) {
    return pages.isEmpty()
        || Wildcards.anyMatches(pages, cookie.get("first_page_url").stringValue())
        || cookie
            .get("page_urls")
            .valueStream()
            .anyMatch(page -> Wildcards.anyMatches(pages, page.stringValue()));
  }

  private static ZoneReply csv(List<ObjectNode> found) {
    Csv csv = new Csv(COLUMNS);
    for (ObjectNode cookie : found) {
      csv.row(COLUMNS.stream().map(column -> cookie.path(column).asString("")).toList());
    }
    return csv.reply();
  }
}
