package dev.holdfast.http.internal.zone;

import dev.holdfast.http.call.ZoneReply;
import dev.holdfast.http.firewall.FirewallAction;
import dev.holdfast.http.firewall.object.DeletedRule;
import dev.holdfast.http.firewall.object.Filter;
import dev.holdfast.http.firewall.object.FilterSearch;
import dev.holdfast.http.firewall.object.FirewallRule;
import dev.holdfast.http.firewall.object.FirewallRules;
import dev.holdfast.http.firewall.object.FirewallRules.Priority;
import dev.holdfast.http.firewall.object.RuleSearch;
import dev.holdfast.http.internal.call.Call;
import dev.holdfast.http.internal.call.Query;
import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.object.RefusedException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import tools.jackson.databind.node.ObjectNode;

/** The requests for filters and firewall rules of a zone. */
record FirewallRequests(FirewallRules firewall) {

  private static final Set<String> ACTIONS =
      Set.of("log", "bypass", "allow", "challenge", "managed_challenge", "js_challenge", "block");
  private static final int PAGE_SIZE_MIN = 5;
  private static final int PAGE_SIZE = 25;

  void addTo(Map<String, Function<Call, ZoneReply>> operations) {
    operations.put("list_filters", this::listFilters);
    operations.put(
        "create_filters",
        call -> filters(firewall.addFilters(call.items(fields -> filter(fields, "")))));
    operations.put(
        "update_filters",
        call ->
            filters(firewall.replaceFilters(call.items(each -> filter(each, each.text("id"))))));
    operations.put("delete_filters", call -> deleted(call, firewall::deleteFilters));
    operations.put("get_filter", call -> Envelope.ok(firewall.filter(call.id())));
    operations.put(
        "update_filter",
        call -> {
          Fields fields = call.fields();
          Filter changed = filter(fields, idOfPath(call, fields));
          return Envelope.ok(firewall.replaceFilter(changed));
        });
    operations.put(
        "delete_filter",
        call -> {
          firewall.deleteFilter(call.id());
          return Envelope.deleted(call.id());
        });
    operations.put("list_rules", this::listRules);
    operations.put(
        "create_rules", call -> rules(firewall.addRules(call.items(FirewallRequests::newRule))));
    operations.put(
        "update_rules",
        call ->
            rules(
                firewall.replaceRules(
                    call.items(each -> rule(each, each.text("id"), stored(each))))));
    operations.put(
        "update_rule_priorities",
        call -> rules(firewall.prioritise(call.items(each -> priority(each, each.text("id"))))));
    operations.put("delete_rules", call -> deleted(call, firewall::deleteRules));
    operations.put("get_rule", call -> Envelope.ok(tree(firewall.rule(call.id()))));
    operations.put(
        "update_rule",
        call -> {
          Fields fields = call.fields();
          FirewallRule changed = rule(fields, idOfPath(call, fields), stored(fields));
          return Envelope.ok(tree(firewall.replaceRule(changed)));
        });
    operations.put(
        "update_rule_priority",
        call -> rules(firewall.prioritise(List.of(priority(call.fields(), call.id())))));
    operations.put("delete_rule", this::deleteRule);
  }

  private ZoneReply listFilters(Call call) {
    Query query = call.query();
    FilterSearch wanted =
        new FilterSearch(
            query.text("id"),
            query.text("expression"),
            query.text("description"),
            query.text("ref"),
            query.flag("paused"));
    return Envelope.found(
        firewall.filters(wanted, query.page(PAGE_SIZE_MIN, PAGE_SIZE)), Json::tree);
  }

  private ZoneReply listRules(Call call) {
    Query query = call.query();
    String action = query.word("action", ACTIONS);
    RuleSearch wanted =
        new RuleSearch(
            query.text("id"),
            action == null ? null : FirewallAction.of(action),
            query.text("description"),
            query.flag("paused"));
    return Envelope.found(
        firewall.rules(wanted, query.page(PAGE_SIZE_MIN, PAGE_SIZE)), FirewallRequests::tree);
  }

  private static FirewallRule newRule(Fields fields) {
    fields.required("filter");
    Fields given = Objects.requireNonNull(fields.object("filter"));
    boolean isStored = !given.text("id", "").isEmpty();
    return rule(fields, "", isStored ? stored(fields) : filter(given, ""));
  }

  private ZoneReply deleteRule(Call call) {
    String id = firewall.rule(call.id()).id();
    boolean withFilter = call.hasBody() && call.fields().flag("delete_filter_if_unused", false);
    DeletedRule deleted = firewall.deleteRule(id, withFilter);
    ObjectNode result = tree(deleted.rule());
    if (deleted.isFilterDeleted()) {
      result.set("filter", Envelope.id(deleted.rule().filter().id()).put("deleted", true));
    }
    return Envelope.ok(result);
  }

  private static ZoneReply deleted(Call call, Consumer<List<String>> delete) {
    List<String> ids = call.query().all("id");
    delete.accept(ids);
    return Envelope.ok(ids.stream().map(Envelope::id));
  }

  /** A client that repeats the id of the path in the body must repeat the same one. */
  private static String idOfPath(Call call, Fields fields) {
    String given = fields.text("id", "");
    if (!given.isEmpty() && !given.equals(call.id())) {
      throw RefusedException.invalidJson("the id differs from the id of the path", fields.at("id"));
    }
    return call.id();
  }

  private static Filter filter(Fields fields, String id) {
    return new Filter(
        id,
        fields.text("expression"),
        fields.flag("paused", false),
        fields.optionalText("description"),
        fields.optionalText("ref"));
  }

  /** {@return the stored filter that a rule names} */
  private static Filter stored(Fields rule) {
    Fields given = rule.object("filter");
    return Filter.stored(given == null ? "" : given.text("id", ""));
  }

  private static FirewallRule rule(Fields fields, String id, Filter filter) {
    return new FirewallRule(
        id,
        fields.flag("paused", false),
        FirewallAction.of(fields.text("action", FirewallAction.NONE.word())),
        fields.number("priority"),
        fields.optionalText("description"),
        fields.optionalText("ref"),
        fields.texts("products"),
        filter);
  }

  private static Priority priority(Fields fields, String id) {
    return new Priority(id, fields.number("priority"));
  }

  private static ZoneReply filters(List<Filter> filters) {
    return Envelope.ok(filters.stream().map(Json::tree));
  }

  private static ZoneReply rules(List<FirewallRule> rules) {
    return Envelope.ok(rules.stream().map(FirewallRequests::tree));
  }

  private static ObjectNode tree(FirewallRule rule) {
    ObjectNode tree = Json.tree(rule).put("priority", rule.priority());
    return rule.products().isEmpty() ? tree.without("products") : tree;
  }
}
