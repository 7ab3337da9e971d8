package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.analysis.ReputationFeed;
import dev.holdfast.http.internal.call.Query;
import dev.holdfast.http.internal.error.ApiException;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.internal.reply.Page;
import dev.holdfast.http.object.ZoneReply;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import tools.jackson.databind.node.ArrayNode;

/** The query of a list of scripts or connections. A zone has few enough to check all of them. */
final class DetectionQuery {

  private static final int PAGE_SIZE = 15;

  private final Query query;
  private final ReputationFeed feed;
  private final boolean script;
  private final List<String> hosts;
  private final List<String> urls;
  private final List<String> excludedUrls;
  private final List<String> pageUrls;
  private final Set<String> statuses;
  private final boolean withoutCdnPath;

  DetectionQuery(Query query, ReputationFeed feed, boolean script) {
    this.query = query;
    this.feed = feed;
    this.script = script;
    this.hosts = query.items("hosts");
    this.urls = query.items("urls");
    this.excludedUrls = query.items("exclude_urls");
    this.pageUrls = query.items("page_url");
    this.statuses = statuses(query);
    this.withoutCdnPath = query.flag("exclude_cdn_cgi", true);
  }

  static Set<String> statuses(Query query) {
    List<String> given = query.items("status");
    for (String status : given) {
      if (!LifeCycle.WORDS.contains(status)) {
        throw ApiException.badParameter("status", "active, infrequent or inactive");
      }
    }
    return given.isEmpty() ? Set.of("active") : Set.copyOf(given);
  }

  /** {@return the requested page: "all" is a page with all items} */
  static Page page(Query query, int count) {
    int size = query.number("per_page", 1, 100, PAGE_SIZE);
    return "all".equals(query.text("page"))
        ? new Page(1, Math.max(1, count))
        : new Page(query.number("page", 1, Integer.MAX_VALUE, 1), size);
  }

  /** {@return whether the query filters by the pages of a detection} */
  boolean looksAtPages() {
    return !pageUrls.isEmpty();
  }

  ZoneReply answer(List<Detection> all, ArrayNode messages) {
    List<Detection> found = all.stream().filter(this::isWanted).toList();
    if (script && query.flag("exclude_duplicates", true)) {
      found = withoutDuplicates(found);
    }
    found = found.stream().sorted(order()).toList();
    if (Csv.isWanted(query)) {
      return csv(found);
    }
    Page page = page(query, found.size());
    ArrayNode items = Json.array();
    found.stream()
        .skip(page.offset())
        .limit(page.size())
        .forEach(detection -> items.add(detection.toJson(feed, script, false)));
    return Envelope.page(items, page, found.size(), messages);
  }

  private boolean isWanted(Detection detection) {
    return statuses.contains(detection.status().word())
        && Wildcards.anyMatches(hosts, detection.pageHost())
        && (urls.isEmpty() || urls.stream().anyMatch(detection.url()::contains))
        && excludedUrls.stream().noneMatch(detection.url()::contains)
        && isOnPage(detection)
        && !(withoutCdnPath && detection.isInCdnPath());
  }

  private boolean isOnPage(Detection detection) {
    return pageUrls.isEmpty()
        || Wildcards.anyMatches(pageUrls, withoutScheme(detection.firstPageUrl()))
        || detection.pageUrls().stream()
            .anyMatch(page -> Wildcards.anyMatches(pageUrls, withoutScheme(page)));
  }

  static String withoutScheme(String url) {
    int scheme = url.indexOf("://");
    return scheme < 0 ? url : url.substring(scheme + 3);
  }

  private Comparator<Detection> order() {
    String by = query.word("order_by", Set.of("first_seen_at", "last_seen_at"), "last_seen_at");
    Function<Detection, Instant> time =
        by.equals("first_seen_at") ? Detection::firstSeenAt : Detection::lastSeenAt;
    Comparator<Detection> order = Comparator.comparing(time);
    if (query.word("direction", Set.of("asc", "desc"), "desc").equals("desc")) {
      order = order.reversed();
    }
    order = order.thenComparing(Detection::id);
    return query.flag("prioritize_malicious", false)
        ? Comparator.<Detection, Boolean>comparing(d -> !d.isMalicious(feed)).thenComparing(order)
        : order;
  }

  /**
   * Keeps, of scripts with the same content, URL host and page host, only the one that was seen
   * last.
   */
  private static List<Detection> withoutDuplicates(List<Detection> found) {
    Set<List<String>> seen = new HashSet<>();
    return found.stream()
        .sorted(Comparator.comparing(Detection::lastSeenAt).reversed().thenComparing(Detection::id))
        .filter(
            detection -> {
              String hash = detection.hash();
              return hash == null
                  || seen.add(List.of(hash, detection.urlHost(), detection.pageHost()));
            })
        .toList();
  }

  private static ZoneReply csv(List<Detection> found) {
    Csv csv =
        new Csv(
            List.of(
                "id",
                "url",
                "host",
                "status",
                "added_at",
                "first_seen_at",
                "last_seen_at",
                "first_page_url"));
    for (Detection d : found) {
      csv.row(
          List.of(
              d.id(),
              d.url(),
              d.pageHost(),
              d.status().word(),
              d.addedAt().toString(),
              d.firstSeenAt().toString(),
              d.lastSeenAt().toString(),
              d.firstPageUrl()));
    }
    return csv.reply();
  }
}
