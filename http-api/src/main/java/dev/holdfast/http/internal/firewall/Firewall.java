package dev.holdfast.http.internal.firewall;

import static java.util.stream.Collectors.toMap;

import dev.holdfast.http.expression.FilterRequest;
import dev.holdfast.http.expression.FilterWork;
import dev.holdfast.http.internal.call.Call;
import dev.holdfast.http.internal.call.DescribedRequest;
import dev.holdfast.http.internal.call.Operation;
import dev.holdfast.http.internal.endpoint.Endpoint;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.internal.store.Expressions;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.ZoneReply;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The firewall of a zone. Owned by the zone's turn. */
public final class Firewall {

  /** Streams sort stably: rules that are equal in both keys stay in the order of the list. */
  private static final Comparator<Rule> ORDER =
      Comparator.comparing(Rule::priority, Comparator.nullsLast(Comparator.naturalOrder()))
          .thenComparing(Rule::action);

  private final ZoneStore store;
  private final Expressions expressions;
  private final Filters filters;
  private final Rules rules;

  /**
   * A firewall rule as the migration sees it.
   *
   * @param expression its filter's expression
   * @param bypassesWaf whether it switches off the managed rules, and is not paused
   */
  public record Summary(String expression, boolean bypassesWaf) {}

  /**
   * Opens the firewall of a zone.
   *
   * @param store the zone's store
   * @param expressions compiles expressions
   */
  public Firewall(ZoneStore store, Expressions expressions) {
    this.store = store;
    this.expressions = expressions;
    this.filters = new Filters(store, expressions);
    this.rules = new Rules(store, filters);
  }

  /**
   * Adds the operations of this class.
   *
   * @param operations by endpoint
   */
  public void addTo(Map<Endpoint, Operation> operations) {
    operations.put(Endpoint.LIST_FILTERS, filters::list);
    operations.put(Endpoint.CREATE_FILTERS, filters::create);
    operations.put(Endpoint.UPDATE_FILTERS, filters::updateAll);
    operations.put(Endpoint.DELETE_FILTERS, filters::deleteAll);
    operations.put(Endpoint.GET_FILTER, filters::get);
    operations.put(Endpoint.UPDATE_FILTER, filters::update);
    operations.put(Endpoint.DELETE_FILTER, filters::delete);
    operations.put(Endpoint.LIST_RULES, rules::list);
    operations.put(Endpoint.CREATE_RULES, rules::create);
    operations.put(Endpoint.UPDATE_RULES, rules::updateAll);
    operations.put(Endpoint.UPDATE_RULE_PRIORITIES, rules::updatePriorities);
    operations.put(Endpoint.DELETE_RULES, rules::deleteAll);
    operations.put(Endpoint.GET_RULE, rules::get);
    operations.put(Endpoint.UPDATE_RULE, rules::update);
    operations.put(Endpoint.UPDATE_RULE_PRIORITY, rules::updatePriority);
    operations.put(Endpoint.DELETE_RULE, rules::delete);
    operations.put(Endpoint.SIMULATE_FIREWALL, this::simulate);
  }

  /** {@return all rules, for the migration} */
  public List<Summary> summaries() {
    Map<String, Filter> byId = filtersById();
    return rules.all().stream()
        .map(
            rule -> {
              Filter filter = Objects.requireNonNull(byId.get(rule.filterId()));
              boolean waf = rule.action() == Action.BYPASS && rule.products().contains("waf");
              return new Summary(filter.expression(), waf && !rule.paused() && !filter.paused());
            })
        .toList();
  }

  /** Returns the rule that decides for a request, and the rules that matched before it. */
  private ZoneReply simulate(Call call) {
    FilterRequest request = DescribedRequest.read(call.fields(), store.now());
    FilterWork work = new FilterWork();
    Map<String, Filter> byId = filtersById();
    ArrayNode matched = Json.array();
    TreeSet<String> bypassed = new TreeSet<>();
    ObjectNode result = Json.object();
    result.putNull("action");
    result.putNull("rule_id");
    for (Rule rule : rules.all().stream().sorted(ORDER).toList()) {
      Filter filter = Objects.requireNonNull(byId.get(rule.filterId()));
      if (rule.paused()
          || filter.paused()
          || !expressions.matches(
              filter.expression(), false, request, work, "filter " + filter.id())) {
        continue;
      }
      matched.add(Json.object().put("rule_id", rule.id()).put("action", rule.action().word()));
      bypassed.addAll(rule.products());
      if (rule.action().decides()) {
        result.put("action", rule.action().word()).put("rule_id", rule.id());
        break;
      }
    }
    result.set("matched", matched);
    ArrayNode products = result.putArray("bypassed_products");
    bypassed.forEach(products::add);
    return Envelope.ok(result);
  }

  private Map<String, Filter> filtersById() {
    return filters.all().stream().collect(toMap(Filter::id, filter -> filter));
  }
}
