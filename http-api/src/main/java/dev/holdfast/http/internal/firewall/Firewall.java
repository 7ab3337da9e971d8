package dev.holdfast.http.internal.firewall;

import static dev.holdfast.http.internal.store.ZoneStore.text;

import dev.holdfast.http.internal.call.Operation;
import dev.holdfast.http.internal.endpoint.Endpoint;
import dev.holdfast.http.internal.store.Expressions;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.ZoneFirewall.StoredRule;
import java.util.List;
import java.util.Map;

/** The firewall of a zone. Owned by the zone's turn. */
public final class Firewall {

  /** Of rules with the same priority, the action decides which one is evaluated first. */
  private static final String PRECEDENCE =
      " LOG BYPASS ALLOW CHALLENGE MANAGED_CHALLENGE JS_CHALLENGE BLOCK ";

  private final ZoneStore store;
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
    return store.list(
        """
        SELECT expression,
          action = 'BYPASS' AND instr(',' || products || ',', ',waf,') > 0
            AND NOT rule.paused AND NOT filter.paused AS bypasses_waf
        FROM rule JOIN filter ON filter.id = filter_id ORDER BY rule.seq
        """,
        Summary.class);
  }

  /** {@return the rules that are not paused, nor are their filters, in the order of evaluation} */
  public List<StoredRule> active() {
    return store.list(
        """
        SELECT rule.id, filter_id, expression, lower(action) AS word, products
        FROM rule JOIN filter ON filter.id = filter_id WHERE NOT rule.paused AND NOT filter.paused
        ORDER BY priority IS NULL, priority, instr(?, ' ' || action || ' '), rule.seq
        """,
        row ->
            new StoredRule(
                text(row, "id"),
                text(row, "filter_id"),
                text(row, "expression"),
                text(row, "word"),
                Rule.products(text(row, "products"))),
        PRECEDENCE);
  }
}
