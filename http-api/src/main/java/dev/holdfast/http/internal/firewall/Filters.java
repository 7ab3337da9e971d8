package dev.holdfast.http.internal.firewall;

import dev.holdfast.http.internal.call.Call;
import dev.holdfast.http.internal.call.Query;
import dev.holdfast.http.internal.error.ApiError;
import dev.holdfast.http.internal.error.ApiException;
import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.internal.reply.Page;
import dev.holdfast.http.internal.store.Expressions;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.ZoneReply;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;

/** The filters of a zone. No two have the same expression. */
final class Filters {

  /** The code of an expression that is wrong. */
  static final int BAD_EXPRESSION = 10101;

  private final ZoneStore store;
  private final Expressions expressions;

  Filters(ZoneStore store, Expressions expressions) {
    this.store = store;
    this.expressions = expressions;
    store.exec(
        """
        CREATE TABLE IF NOT EXISTS filter (
          seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, expression TEXT NOT NULL UNIQUE,
          paused INTEGER NOT NULL, description TEXT, ref TEXT
        )
        """);
  }

  ZoneReply list(Call call) {
    Query query = call.query();
    Page page = query.page(5, 25);
    String paused = query.text("paused") == null ? null : query.flag("paused", false) ? "1" : "0";
    String where =
        """
         FROM filter WHERE (?1 IS NULL OR id = ?1)
          AND (?2 IS NULL OR instr(lower(expression), lower(?2)) > 0)
          AND (?3 IS NULL OR instr(lower(description), lower(?3)) > 0)
          AND (?4 IS NULL OR ref = ?4) AND (?5 IS NULL OR paused = CAST(?5 AS INTEGER))
        """;
    @Nullable Object[] bindings = {
      query.text("id"),
      query.text("expression"),
      query.text("description"),
      query.text("ref"),
      paused
    };
    long total = store.count("SELECT count(*) AS n" + where, bindings);
    ArrayNode items = Json.array();
    store
        .list(
            "SELECT *" + where + " ORDER BY seq LIMIT " + page.size() + " OFFSET " + page.offset(),
            Filter::read,
            bindings)
        .forEach(filter -> items.add(filter.toJson()));
    return Envelope.page(items, page, total);
  }

  ZoneReply get(Call call) {
    return Envelope.ok(find(call.id()).toJson());
  }

  ZoneReply create(Call call) {
    ArrayNode result = Json.array();
    Set<String> given = new HashSet<>();
    for (Fields fields : Fields.listOf(call.body())) {
      Filter filter = read(fields, store.newId(), "", BAD_EXPRESSION);
      if (!given.add(filter.expression())) {
        // Without an id: the previous filter's id is rolled back with the request.
        throw new ApiException(
            400,
            new ApiError(10102, "config duplicates another one of the request")
                .at(fields.at("expression")));
      }
      refuseDuplicate(filter, fields.at("expression"), "");
      insert(filter);
      result.add(filter.toJson());
    }
    return Envelope.ok(result);
  }

  ZoneReply update(Call call) {
    Fields fields = call.fields();
    refuseOtherId(fields, call.id());
    return Envelope.ok(replace(fields, call.id()).toJson());
  }

  ZoneReply updateAll(Call call) {
    ArrayNode result = Json.array();
    for (Fields fields : Fields.listOf(call.body())) {
      result.add(replace(fields, fields.text("id")).toJson());
    }
    return Envelope.ok(result);
  }

  ZoneReply delete(Call call) {
    Filter filter = find(call.id());
    refuseIfUsed(filter.id());
    store.exec("DELETE FROM filter WHERE id = ?", filter.id());
    return Envelope.ok(Json.object().put("id", filter.id()));
  }

  ZoneReply deleteAll(Call call) {
    Set<String> ids = new HashSet<>(call.query().all("id"));
    ids.forEach(this::refuseIfUsed);
    ArrayNode result = Json.array();
    for (String id : call.query().all("id")) {
      store.exec("DELETE FROM filter WHERE id = ?", id);
      result.add(Json.object().put("id", id));
    }
    return Envelope.ok(result);
  }

  /** {@return a filter} */
  Filter find(String id) {
    Filter filter = findIfAny(id);
    if (filter == null) {
      throw ApiException.notFound("filter not found");
    }
    return filter;
  }

  @Nullable Filter findIfAny(String id) {
    return store.find("SELECT * FROM filter WHERE id = ?", Filter::read, id);
  }

  List<Filter> all() {
    return store.list("SELECT * FROM filter", Filter::read);
  }

  /** Reads a filter from a body and checks it in isolation. */
  Filter read(Fields fields, String id, String prefix, int code) {
    String expression = fields.text("expression");
    expressions.check(expression, false, prefix, code, fields.at("expression"));
    return new Filter(
        id,
        expression,
        fields.flag("paused", false),
        fields.optionalText("description"),
        fields.optionalText("ref"));
  }

  /** Clients rely on the error to name the filter that already has the expression. */
  void refuseDuplicate(Filter filter, String pointer, String prefix) {
    Filter other =
        store.find(
            "SELECT * FROM filter WHERE expression = ? AND id != ?",
            Filter::read,
            filter.expression(),
            filter.id());
    if (other != null) {
      throw new ApiException(
          400,
          new ApiError(10102, prefix + "config duplicates an already existing config")
              .at(pointer)
              .with("id", other.id()));
    }
  }

  void insert(Filter filter) {
    store.exec(
        "INSERT INTO filter (id, expression, paused, description, ref) VALUES (?, ?, ?, ?, ?)",
        filter.id(),
        filter.expression(),
        filter.paused(),
        filter.description(),
        filter.ref());
  }

  void deleteIfUnused(String id) {
    store.exec(
        "DELETE FROM filter WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM rule WHERE filter_id = ?1)",
        id);
  }

  private Filter replace(Fields fields, String id) {
    find(id);
    Filter changed = read(fields, id, "", BAD_EXPRESSION);
    refuseDuplicate(changed, fields.at("expression"), "");
    store.exec(
        "UPDATE filter SET expression = ?, paused = ?, description = ?, ref = ? WHERE id = ?",
        changed.expression(),
        changed.paused(),
        changed.description(),
        changed.ref(),
        id);
    return changed;
  }

  private void refuseIfUsed(String id) {
    List<String> users =
        store.list("SELECT id FROM rule WHERE filter_id = ?", row -> ZoneStore.text(row, "id"), id);
    if (!users.isEmpty()) {
      throw new ApiException(
          400,
          new ApiError(10104, "filter " + id + " is used by firewall rules")
              .with("rule.id", users.getFirst()));
    }
  }

  static void refuseOtherId(Fields fields, String id) {
    String given = fields.optionalText("id");
    if (given != null && !given.isEmpty() && !given.equals(id)) {
      throw ApiException.invalidJson("the id differs from that of the path", fields.at("id"));
    }
  }
}
