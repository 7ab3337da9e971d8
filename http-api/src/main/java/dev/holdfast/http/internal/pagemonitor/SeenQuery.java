package dev.holdfast.http.internal.pagemonitor;

import de.siegmar.fastcsv.writer.CsvWriter;
import dev.holdfast.http.internal.call.Query;
import dev.holdfast.http.internal.endpoint.OpenApi;
import dev.holdfast.http.internal.error.ApiException;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.internal.reply.ReplyPage;
import dev.holdfast.http.internal.store.Selection;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.ZoneReply;
import java.io.StringWriter;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What the queries of lists of scripts, connections and cookies have in common. The store filters,
 * sorts and pages; all parameters are checked first, so that a mistake is reported even if there is
 * nothing to list. An item is an object of JSON that the store makes, or a line of CSV (RFC 4180).
 */
class SeenQuery {

  private static final int PAGE_SIZE = 15;
  private static final Set<String> STATUSES = Set.of("active", "infrequent", "inactive");
  private static final Set<String> TIMES = Set.of("first_seen_at", "last_seen_at");

  /**
   * A spreadsheet would interpret such a cell as a formula; the sender of a report chooses the
   * names.
   */
  private static final String FORMULA_SIGNS = "=+-@\t";

  private record Item(String text) {}

  final ZoneStore store;
  final Query query;
  final Selection wanted;
  private final String order;

  /**
   * Reads the common parameters.
   *
   * @param wanted what is listed at most
   * @param host the column of the host
   * @param firstSeen SQL of the time that {@code first_seen_at} sorts by
   */
  SeenQuery(ZoneStore store, Query query, Selection wanted, String host, String firstSeen) {
    this.store = store;
    this.query = query;
    this.wanted = wanted;
    List<String> statuses = query.items("status");
    if (!STATUSES.containsAll(statuses)) {
      throw ApiException.badParameter("status", "active, infrequent or inactive");
    }
    wanted.in("lower(status)", statuses.isEmpty() ? List.of("active") : statuses);
    wanted.matches("SELECT " + host + " AS t", query.items("hosts"));
    String by = query.word("order_by", TIMES, "last_seen_at");
    String direction = query.word("direction", Set.of("asc", "desc"), "desc");
    order = (by.equals("first_seen_at") ? firstSeen : "last_seen_micros") + " " + direction;
  }

  /**
   * Answers with a page of the list, or with all of it as CSV.
   *
   * @param item SQL of an item
   * @param from what follows FROM, with the conditions
   * @param first the ids of items that come first
   * @param completed adds to an item what the store does not know
   * @param schema of an item in the OpenAPI document; says which members CSV has
   */
  ZoneReply answer(
      String item,
      String from,
      List<String> first,
      UnaryOperator<ObjectNode> completed,
      String schema,
      ArrayNode messages) {
    boolean isCsv = isCsv();
    long count = store.count("SELECT count(*) AS n FROM " + from, wanted.bindings());
    ReplyPage page = isCsv ? ReplyPage.all(count) : page(count);
    String ordered =
        from
            + " ORDER BY id IN (SELECT value FROM json_each(?)) DESC, "
            + order
            + ", id LIMIT ? OFFSET ?";
    List<Object> more = List.of(Selection.json(first), page.size(), page.offset());
    Stream<ObjectNode> items = items(store, item, ordered, wanted.bindings(more)).map(completed);
    return isCsv
        ? new ZoneReply(200, "text/csv; charset=utf-8", csv(items, schema))
        : Envelope.page(items, page, count, messages);
  }

  /** {@return the rows of a query as items} */
  static Stream<ObjectNode> items(
      ZoneStore store, String item, String from, @Nullable Object... bindings) {
    return store
        .rows("SELECT " + item + " AS text FROM " + from, Item.class, bindings)
        .map(row -> Json.readObject(row.text()));
  }

  /** {@return one item, or the answer that there is none of its kind} */
  static ObjectNode get(
      ZoneStore store, String kind, String item, String from, @Nullable Object... bindings) {
    return items(store, item, from, bindings)
        .findFirst()
        .orElseThrow(() -> ApiException.notFound("Could not find " + kind));
  }

  private ReplyPage page(long count) {
    int size = query.number("per_page", 1, 100, PAGE_SIZE);
    return "all".equals(query.text("page"))
        ? ReplyPage.all(count)
        : new ReplyPage(query.number("page", 1, Integer.MAX_VALUE, 1), size);
  }

  private boolean isCsv() {
    String export = query.text("export");
    if (export != null && !export.equals("csv")) {
      throw ApiException.badParameter("export", "csv");
    }
    if (export != null && (query.text("page") != null || query.text("per_page") != null)) {
      throw ApiException.badParameter("export", "without page and per_page");
    }
    return export != null;
  }

  private static String csv(Stream<ObjectNode> items, String schema) {
    JsonNode members = OpenApi.part("#/components/schemas/" + schema + "/x-csv");
    List<String> columns = members.valueStream().map(JsonNode::stringValue).toList();
    StringWriter out = new StringWriter();
    CsvWriter writer = CsvWriter.builder().bufferSize(0).build(out);
    writer.writeRecord(columns);
    items.forEach(
        item ->
            writer.writeRecord(
                columns.stream()
                    .map(column -> item.path(column).asString(""))
                    .map(c -> !c.isEmpty() && FORMULA_SIGNS.indexOf(c.charAt(0)) >= 0 ? "'" + c : c)
                    .toList()));
    return out.toString();
  }
}
