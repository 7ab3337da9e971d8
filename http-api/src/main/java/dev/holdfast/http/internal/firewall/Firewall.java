package dev.holdfast.http.internal.firewall;

import dev.holdfast.http.internal.call.Call;
import dev.holdfast.http.internal.store.Expressions;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.ZoneFirewall.StoredRule;
import dev.holdfast.http.object.ZoneReply;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

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
  public void addTo(Map<String, Function<Call, ZoneReply>> operations) {
    operations.put("list_filters", filters::list);
    operations.put("create_filters", filters::create);
    operations.put("update_filters", filters::updateAll);
    operations.put("delete_filters", filters::deleteAll);
    operations.put("get_filter", filters::get);
    operations.put("update_filter", filters::update);
    operations.put("delete_filter", filters::delete);
    operations.put("list_rules", rules::list);
    operations.put("create_rules", rules::create);
    operations.put("update_rules", rules::updateAll);
    operations.put("update_rule_priorities", rules::updatePriorities);
    operations.put("delete_rules", rules::deleteAll);
    operations.put("get_rule", rules::get);
    operations.put("update_rule", rules::update);
    operations.put("update_rule_priority", rules::updatePriority);
    operations.put("delete_rule", rules::delete);
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

  private record Active(
      String id, String filterId, String expression, String word, String products) {

    StoredRule stored() {
      return new StoredRule(id, filterId, expression, word, Rule.products(products));
    }
  }

  /** {@return the rules that are not paused, nor are their filters, in the order of evaluation} */
  public List<StoredRule> active() {
    return store
        .list(
            """
            SELECT rule.id, filter_id, expression, lower(action) AS word, products
            FROM rule JOIN filter ON filter.id = filter_id WHERE NOT rule.paused AND NOT filter.paused
            ORDER BY priority IS NULL, priority, instr(?, ' ' || action || ' '), rule.seq
            """,
            Active.class,
            PRECEDENCE)
        .stream()
        .map(Active::stored)
        .toList();
  }
}
