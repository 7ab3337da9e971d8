package dev.holdfast.http.internal.firewall;

import dev.holdfast.http.internal.call.Call;
import dev.holdfast.http.internal.call.Query;
import dev.holdfast.http.internal.error.ApiError;
import dev.holdfast.http.internal.error.ApiException;
import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.internal.reply.Page;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.Plan;
import dev.holdfast.http.object.ZoneReply;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The firewall rules of a zone. */
final class Rules {

  private final ZoneStore store;
  private final Filters filters;

  /** A rule to create, with its filter; {@code isNew} if the filter is also to be created. */
  private record Planned(Rule rule, Filter filter, boolean isNew) {}

  Rules(ZoneStore store, Filters filters) {
    this.store = store;
    this.filters = filters;
    store.exec(
        """
        CREATE TABLE IF NOT EXISTS rule (
          seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, filter_id TEXT NOT NULL,
          action TEXT NOT NULL, priority INTEGER, paused INTEGER NOT NULL, description TEXT,
          ref TEXT, products TEXT NOT NULL
        );
        CREATE INDEX IF NOT EXISTS rule_by_filter ON rule (filter_id)
        """);
  }

  /** {@return all rules, in the order of their creation} */
  List<Rule> all() {
    return store.list("SELECT * FROM rule ORDER BY seq", Rule::read);
  }

  ZoneReply list(Call call) {
    Query query = call.query();
    Page page = query.page(5, 25);
    String action = query.text("action");
    if (action != null && !Action.WORDS.contains(action)) {
      throw ApiException.badParameter("action", "an action of firewall rules");
    }
    String paused = query.text("paused") == null ? null : query.flag("paused", false) ? "1" : "0";
    String where =
        """
         FROM rule WHERE (?1 IS NULL OR id = ?1) AND (?2 IS NULL OR action = ?2)
          AND (?3 IS NULL OR instr(lower(description), lower(?3)) > 0)
          AND (?4 IS NULL OR paused = CAST(?4 AS INTEGER))
        """;
    @Nullable Object[] bindings = {
      query.text("id"),
      action == null ? null : Action.of(action).name(),
      query.text("description"),
      paused
    };
    long total = store.count("SELECT count(*) AS n" + where, bindings);
    ArrayNode items = Json.array();
    store
        .list(
            "SELECT *" + where + " ORDER BY seq LIMIT " + page.size() + " OFFSET " + page.offset(),
            Rule::read,
            bindings)
        .forEach(rule -> items.add(toJson(rule)));
    return Envelope.page(items, page, total);
  }

  ZoneReply get(Call call) {
    return Envelope.ok(toJson(find(call.id())));
  }

  /**
   * Creates rules, and filters for those that have an expression. All or nothing, except for one
   * case that the API documents: above the quota the filters are created and the rules are not, and
   * the error lists the filters, so that the client can continue with them.
   */
  ZoneReply create(Call call) {
    List<Planned> planned = new ArrayList<>();
    Set<String> expressions = new HashSet<>();
    for (Fields fields : Fields.listOf(call.body())) {
      Planned plan = plan(fields, planned.size());
      if (plan.isNew() && !expressions.add(plan.filter().expression())) {
        throw new ApiException(
            400,
            new ApiError(10102, at(planned.size()) + "config duplicates another one of the request")
                .at(fields.at("filter")));
      }
      planned.add(plan);
    }
    planned.stream().filter(Planned::isNew).map(Planned::filter).forEach(filters::insert);
    int max = store.profile().firewallRulesMax();
    long count = store.count("SELECT count(*) AS n FROM rule") + planned.size();
    if (count > max) {
      return overQuota(planned, count, max);
    }
    ArrayNode result = Json.array();
    for (Planned plan : planned) {
      insert(plan.rule());
      result.add(plan.rule().toJson(plan.filter()));
    }
    return Envelope.ok(result);
  }

  private static ZoneReply overQuota(List<Planned> planned, long count, int max) {
    String message = "exceeded the maximum number of firewall rules: " + count + " out of " + max;
    List<ApiError> errors = new ArrayList<>();
    for (Planned plan : planned) {
      ApiError error = new ApiError(10203, message).at("/" + errors.size());
      errors.add(error.with("filter.id", plan.filter().id()));
    }
    return Envelope.failure(400, errors);
  }

  ZoneReply update(Call call) {
    Fields fields = call.fields();
    Filters.refuseOtherId(fields, call.id());
    return Envelope.ok(toJson(replace(fields, call.id())));
  }

  ZoneReply updateAll(Call call) {
    ArrayNode result = Json.array();
    for (Fields fields : Fields.listOf(call.body())) {
      result.add(toJson(replace(fields, fields.text("id"))));
    }
    return Envelope.ok(result);
  }

  ZoneReply updatePriority(Call call) {
    ArrayNode result = Json.array();
    result.add(toJson(prioritise(call.fields(), call.id())));
    return Envelope.ok(result);
  }

  ZoneReply updatePriorities(Call call) {
    ArrayNode result = Json.array();
    for (Fields fields : Fields.listOf(call.body())) {
      result.add(toJson(prioritise(fields, fields.text("id"))));
    }
    return Envelope.ok(result);
  }

  ZoneReply delete(Call call) {
    Rule rule = find(call.id());
    boolean withFilter = call.hasBody() && call.fields().flag("delete_filter_if_unused", false);
    ObjectNode result = toJson(rule);
    store.exec("DELETE FROM rule WHERE id = ?", rule.id());
    if (withFilter) {
      filters.deleteIfUnused(rule.filterId());
      if (filters.findIfAny(rule.filterId()) == null) {
        result.set("filter", Json.object().put("id", rule.filterId()).put("deleted", true));
      }
    }
    return Envelope.ok(result);
  }

  ZoneReply deleteAll(Call call) {
    ArrayNode result = Json.array();
    for (String id : call.query().all("id")) {
      store.exec("DELETE FROM rule WHERE id = ?", id);
      result.add(Json.object().put("id", id));
    }
    return Envelope.ok(result);
  }

  private Planned plan(Fields fields, int index) {
    fields.required("filter");
    Fields given = Objects.requireNonNull(fields.object("filter"));
    String id = given.optionalText("id");
    Filter filter;
    if (id != null && !id.isEmpty()) {
      filter = filters.findIfAny(id);
      if (filter == null) {
        throw new ApiException(
            400, new ApiError(10202, at(index) + "filter not found").at(given.at("id")));
      }
      return new Planned(read(fields, store.newId(), filter), filter, false);
    }
    filter = filters.read(given, store.newId(), at(index), 10202);
    filters.refuseDuplicate(filter, given.at("expression"), at(index));
    return new Planned(read(fields, store.newId(), filter), filter, true);
  }

  private static String at(int index) {
    return "filter at index " + index + ": ";
  }

  private Rule read(Fields fields, String id, Filter filter) {
    Action action = Action.of(fields.text("action"));
    if (action == Action.LOG && store.profile().plan() != Plan.ENTERPRISE) {
      throw new ApiException(
          400,
          new ApiError(10204, "not entitled: the action log needs an Enterprise plan")
              .at(fields.at("action")));
    }
    List<String> products = fields.texts("products");
    if (products.isEmpty() == (action == Action.BYPASS)) {
      throw ApiException.invalidJson(
          "products are for the action bypass, which needs at least one", fields.at("products"));
    }
    return new Rule(
        id,
        filter.id(),
        action,
        fields.number("priority"),
        fields.flag("paused", false),
        fields.optionalText("description"),
        fields.optionalText("ref"),
        products);
  }

  private void insert(Rule rule) {
    store.exec(
        "INSERT INTO rule (id, filter_id, action, priority, paused, description, ref, products)"
            + " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        rule.id(),
        rule.filterId(),
        rule.action().name(),
        rule.priority(),
        rule.paused(),
        rule.description(),
        rule.ref(),
        String.join(",", rule.products()));
  }

  /**
   * Members that are not given are erased. The reference to a filter may change, the filter itself
   * never.
   */
  private Rule replace(Fields fields, String id) {
    find(id);
    Fields given = fields.object("filter");
    String filterId = given == null ? null : given.optionalText("id");
    Filter filter = filterId == null ? null : filters.findIfAny(filterId);
    if (filter == null) {
      throw new ApiException(400, new ApiError(10202, "filter not found").at(fields.at("filter")));
    }
    Rule rule = read(fields, id, filter);
    store.exec(
        "UPDATE rule SET filter_id = ?, action = ?, priority = ?, paused = ?, description = ?,"
            + " ref = ?, products = ? WHERE id = ?",
        rule.filterId(),
        rule.action().name(),
        rule.priority(),
        rule.paused(),
        rule.description(),
        rule.ref(),
        String.join(",", rule.products()),
        id);
    return rule;
  }

  private Rule prioritise(Fields fields, String id) {
    find(id);
    store.exec("UPDATE rule SET priority = ? WHERE id = ?", fields.number("priority"), id);
    return find(id);
  }

  private Rule find(String id) {
    Rule rule = store.find("SELECT * FROM rule WHERE id = ?", Rule::read, id);
    if (rule == null) {
      throw ApiException.notFound("firewallrules.api.not_found");
    }
    return rule;
  }

  private ObjectNode toJson(Rule rule) {
    return rule.toJson(filters.find(rule.filterId()));
  }
}
