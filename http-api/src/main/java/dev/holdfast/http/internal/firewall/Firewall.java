package dev.holdfast.http.internal.firewall;

import static java.util.stream.Collectors.toMap;

import dev.holdfast.http.internal.call.Operation;
import dev.holdfast.http.internal.endpoint.Endpoint;
import dev.holdfast.http.internal.store.Expressions;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.ZoneFirewall.StoredRule;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The firewall of a zone. Owned by the zone's turn. */
public final class Firewall {

  /** Streams sort stably: rules that are equal in both keys stay in the order of the list. */
  private static final Comparator<Rule> ORDER =
      Comparator.comparing(Rule::priority, Comparator.nullsLast(Comparator.naturalOrder()))
          .thenComparing(Rule::action);

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

  /** {@return the rules that are not paused, nor are their filters, in the order of evaluation} */
  public List<StoredRule> active() {
    Map<String, Filter> byId = filtersById();
    List<StoredRule> active = new ArrayList<>();
    for (Rule rule : rules.all().stream().sorted(ORDER).toList()) {
      Filter filter = Objects.requireNonNull(byId.get(rule.filterId()));
      if (!rule.paused() && !filter.paused()) {
        active.add(
            new StoredRule(
                rule.id(),
                filter.id(),
                filter.expression(),
                rule.action().word(),
                rule.products()));
      }
    }
    return active;
  }

  private Map<String, Filter> filtersById() {
    return filters.all().stream().collect(toMap(Filter::id, filter -> filter));
  }
}
