package dev.holdfast.http.internal.firewall;

import dev.holdfast.http.internal.call.Call;
import dev.holdfast.http.internal.error.ApiException;
import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.internal.store.Expressions;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.ZoneFirewall.StoredRule;
import dev.holdfast.http.object.ZoneReply;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/** The firewall of a zone. Owned by the zone's turn. */
public final class FirewallTable {

  /** Of rules with the same priority, the action decides which one is evaluated first. */
  private static final String PRECEDENCE =
      " LOG BYPASS ALLOW CHALLENGE MANAGED_CHALLENGE JS_CHALLENGE BLOCK ";

  private final ZoneStore store;
  private final FilterTable filters;
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
  public FirewallTable(ZoneStore store, Expressions expressions) {
    this.store = store;
    this.filters = new FilterTable(store, expressions);
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
    operations.put("update_filters", call -> updateAll(call, filters::replace));
    operations.put("delete_filters", filters::deleteAll);
    operations.put("get_filter", filters::get);
    operations.put("update_filter", call -> update(call, filters::replace));
    operations.put("delete_filter", filters::delete);
    operations.put("list_rules", rules::list);
    operations.put("create_rules", rules::create);
    operations.put("update_rules", call -> updateAll(call, rules::replace));
    operations.put("update_rule_priorities", call -> updateAll(call, rules::prioritise));
    operations.put("delete_rules", rules::deleteAll);
    operations.put("get_rule", rules::get);
    operations.put("update_rule", call -> update(call, rules::replace));
    operations.put(
        "update_rule_priority",
        call -> Envelope.ok(Stream.of(rules.prioritise(call.fields(), call.id()))));
    operations.put("delete_rule", rules::delete);
  }

  /** Changes the item that the path names. */
  private static ZoneReply update(Call call, BiFunction<Fields, String, ObjectNode> change) {
    Fields fields = call.fields();
    String given = fields.text("id", "");
    if (!given.isEmpty() && !given.equals(call.id())) {
      throw ApiException.invalidJson("the id differs from the id of the path", fields.at("id"));
    }
    return Envelope.ok(change.apply(fields, call.id()));
  }

  /** Changes the items that the body names. */
  private static ZoneReply updateAll(Call call, BiFunction<Fields, String, ObjectNode> change) {
    return Envelope.ok(call.items().map(fields -> change.apply(fields, fields.text("id"))));
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
