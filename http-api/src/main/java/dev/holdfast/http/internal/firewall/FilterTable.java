package dev.holdfast.http.internal.firewall;

import dev.holdfast.http.internal.call.Call;
import dev.holdfast.http.internal.call.Query;
import dev.holdfast.http.internal.error.ApiError;
import dev.holdfast.http.internal.error.ApiException;
import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.internal.store.Expressions;
import dev.holdfast.http.internal.store.Selection;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.ZoneReply;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The filters of a zone. No two have the same expression. */
final class FilterTable {

  /** The code of an expression that is wrong. */
  static final int BAD_EXPRESSION = 10101;

  private static final String BY_ID = "SELECT * FROM filter WHERE id = ?";

  private final ZoneStore store;
  private final Expressions expressions;

  FilterTable(ZoneStore store, Expressions expressions) {
    this.store = store;
    this.expressions = expressions;
  }

  ZoneReply list(Call call) {
    Query query = call.query();
    Selection wanted = new Selection("true");
    wanted.andIf("id = ?", query.text("id"));
    wanted.andIf("instr(lower(expression), lower(?)) > 0", query.text("expression"));
    wanted.andIf("instr(lower(description), lower(?)) > 0", query.text("description"));
    wanted.andIf("ref = ?", query.text("ref"));
    wanted.andIf("paused = ?", query.flag("paused"));
    return store.page("filter", wanted, "seq", query.page(5, 25), Filter.class, Json::tree);
  }

  ZoneReply get(Call call) {
    return Envelope.ok(Json.tree(find(call.id())));
  }

  ZoneReply create(Call call) {
    ArrayNode result = Json.array();
    Set<String> given = new HashSet<>();
    for (Fields fields : Fields.listOf(call.body())) {
      Filter filter = read(fields, store.newId(), "", BAD_EXPRESSION);
      if (!given.add(filter.expression())) {
        // Without an id: the previous filter's id is rolled back with the request.
        throw ApiException.wrong(
            10102, "config duplicates another one of the request", fields.at("expression"));
      }
      refuseDuplicate(filter, fields.at("expression"), "");
      put(filter);
      result.add(Json.tree(filter));
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
    return store.delete("filter", call.query().all("id"));
  }

  /** {@return a filter} */
  Filter find(String id) {
    return store.get("filter not found", BY_ID, Filter.class, id);
  }

  @Nullable Filter findIfAny(String id) {
    return store.find(BY_ID, Filter.class, id);
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
            Filter.class,
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

  void put(Filter filter) {
    store.put("filter", "id", filter);
  }

  void deleteIfUnused(String id) {
    store.exec(
        "DELETE FROM filter WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM rule WHERE filter_id = ?1)",
        id);
  }

  ObjectNode replace(Fields fields, String id) {
    find(id);
    Filter changed = read(fields, id, "", BAD_EXPRESSION);
    refuseDuplicate(changed, fields.at("expression"), "");
    put(changed);
    return Json.tree(changed);
  }

  private void refuseIfUsed(String id) {
    Rule user = store.find("SELECT * FROM rule WHERE filter_id = ?", Rule.class, id);
    if (user != null) {
      throw new ApiException(
          400,
          new ApiError(10104, "filter " + id + " is used by firewall rules")
              .with("rule", Map.of("id", user.id())));
    }
  }
}
