package dev.holdfast.http.internal.firewall;

import dev.holdfast.http.firewall.FirewallAction;
import dev.holdfast.http.internal.call.Call;
import dev.holdfast.http.internal.call.Query;
import dev.holdfast.http.internal.error.ApiError;
import dev.holdfast.http.internal.error.ApiException;
import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.internal.store.Selection;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.Plan;
import dev.holdfast.http.object.ZoneReply;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The firewall rules of a zone. */
final class Rules {

  private static final Set<String> ACTIONS =
      Set.of("log", "bypass", "allow", "challenge", "managed_challenge", "js_challenge", "block");

  private final ZoneStore store;
  private final FilterTable filters;

  /** A rule to create, with its filter; {@code isNew} if the filter is also to be created. */
  private record Planned(Rule rule, Filter filter, boolean isNew) {}

  Rules(ZoneStore store, FilterTable filters) {
    this.store = store;
    this.filters = filters;
  }

  ZoneReply list(Call call) {
    Query query = call.query();
    Selection wanted = new Selection("true");
    wanted.andIf("id = ?", query.text("id"));
    wanted.andIf("lower(action) = ?", query.word("action", ACTIONS));
    wanted.andIf("instr(lower(description), lower(?)) > 0", query.text("description"));
    wanted.andIf("paused = ?", query.flag("paused"));
    return store.page("rule", wanted, "seq", query.page(5, 25), Rule.class, this::toJson);
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
        String message = at(planned.size()) + "config duplicates another one of the request";
        throw ApiException.wrong(10102, message, fields.at("filter"));
      }
      planned.add(plan);
    }
    planned.stream().filter(Planned::isNew).map(Planned::filter).forEach(filters::put);
    int max = store.profile().firewallRulesMax();
    long count = store.count("SELECT count(*) AS n FROM rule") + planned.size();
    if (count > max) {
      return overQuota(planned, count, max);
    }
    ArrayNode result = Json.array();
    for (Planned plan : planned) {
      store.put("rule", "id", plan.rule());
      result.add(plan.rule().toJson(plan.filter()));
    }
    return Envelope.ok(result);
  }

  private static ZoneReply overQuota(List<Planned> planned, long count, int max) {
    String message = "exceeded the maximum number of firewall rules: " + count + " out of " + max;
    List<ApiError> errors = new ArrayList<>();
    for (Planned plan : planned) {
      ApiError error = new ApiError(10203, message).at("/" + errors.size());
      errors.add(error.with("filter", Map.of("id", plan.filter().id())));
    }
    return Envelope.failure(new ApiException(400, errors.toArray(ApiError[]::new)));
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
    return store.delete("rule", call.query().all("id"));
  }

  private Planned plan(Fields fields, int index) {
    fields.required("filter");
    Fields given = Objects.requireNonNull(fields.object("filter"));
    String id = given.optionalText("id");
    Filter filter;
    if (id != null && !id.isEmpty()) {
      filter = filters.findIfAny(id);
      if (filter == null) {
        throw ApiException.wrong(10202, at(index) + "filter not found", given.at("id"));
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
    FirewallAction action = FirewallAction.of(fields.text("action"));
    if (action == FirewallAction.LOG && store.profile().plan() != Plan.ENTERPRISE) {
      throw ApiException.wrong(
          10204, "not entitled: the action log needs an Enterprise plan", fields.at("action"));
    }
    List<String> products = fields.texts("products");
    if (products.isEmpty() == (action == FirewallAction.BYPASS)) {
      throw ApiException.invalidJson(
          "products are for the action bypass, which needs at least one", fields.at("products"));
    }
    return new Rule(
        id,
        fields.flag("paused", false),
        action,
        fields.number("priority"),
        fields.optionalText("description"),
        fields.optionalText("ref"),
        filter.id(),
        String.join(",", products));
  }

  ObjectNode replace(Fields fields, String id) {
    find(id);
    Fields given = fields.object("filter");
    String filterId = given == null ? null : given.optionalText("id");
    Filter filter = filterId == null ? null : filters.findIfAny(filterId);
    if (filter == null) {
      throw ApiException.wrong(10202, "filter not found", fields.at("filter"));
    }
    Rule rule = read(fields, id, filter);
    store.put("rule", "id", rule);
    return rule.toJson(filter);
  }

  ObjectNode prioritise(Fields fields, String id) {
    find(id);
    store.exec("UPDATE rule SET priority = ? WHERE id = ?", fields.number("priority"), id);
    return toJson(find(id));
  }

  private Rule find(String id) {
    return store.get(
        "firewallrules.api.not_found", "SELECT * FROM rule WHERE id = ?", Rule.class, id);
  }

  private ObjectNode toJson(Rule rule) {
    return rule.toJson(filters.find(rule.filterId()));
  }
}
