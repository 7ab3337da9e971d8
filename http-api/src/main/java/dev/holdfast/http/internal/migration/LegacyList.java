package dev.holdfast.http.internal.migration;

import dev.holdfast.http.internal.call.Query;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.internal.reply.Page;
import dev.holdfast.http.object.ZoneReply;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/** Lists of the previous managed rules, by the requested filters, order and page. */
final class LegacyList {

  private static final int PAGE_SIZE = 50;

  private LegacyList() {}

  /**
   * Answers a list.
   *
   * @param fields the fields for filters, with {@code match} all or any, and for the order
   */
  static ZoneReply answer(Query query, ArrayNode all, List<String> fields) {
    Page page = query.page(5, PAGE_SIZE);
    boolean any = query.word("match", Set.of("all", "any"), "all").equals("any");
    List<Predicate<JsonNode>> wanted = new ArrayList<>();
    for (String field : fields) {
      String value = query.text(field);
      // The modes of rules have other words in queries, which are handled before.
      if (value != null) {
        wanted.add(item -> item.path(field).asString("").equals(value));
      }
    }
    List<JsonNode> found = new ArrayList<>();
    for (JsonNode item : all) {
      boolean is =
          wanted.isEmpty()
              || (any
                  ? wanted.stream().anyMatch(one -> one.test(item))
                  : wanted.stream().allMatch(one -> one.test(item)));
      if (is) {
        found.add(item);
      }
    }
    if (query.text("order") != null) {
      String by = query.word("order", Set.copyOf(fields), "");
      Comparator<JsonNode> order = Comparator.comparing(item -> item.path(by).asString(""));
      boolean down = query.word("direction", Set.of("asc", "desc"), "asc").equals("desc");
      found.sort(down ? order.reversed() : order);
    }
    ArrayNode items = Json.array();
    found.stream().skip(page.offset()).limit(page.size()).forEach(items::add);
    return Envelope.page(items, page, found.size());
  }
}
