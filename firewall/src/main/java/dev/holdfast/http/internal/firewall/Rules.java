package dev.holdfast.http.internal.firewall;

import dev.holdfast.http.firewall.FirewallAction;
import dev.holdfast.http.firewall.object.DeletedRule;
import dev.holdfast.http.firewall.object.Filter;
import dev.holdfast.http.firewall.object.FirewallRule;
import dev.holdfast.http.firewall.object.FirewallRules.Priority;
import dev.holdfast.http.firewall.object.RuleSearch;
import dev.holdfast.http.firewall.object.ZoneFirewall.StoredRule;
import dev.holdfast.http.internal.store.Selection;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.Found;
import dev.holdfast.http.object.PageRange;
import dev.holdfast.http.object.Plan;
import dev.holdfast.http.object.RefusalDetail;
import dev.holdfast.http.object.RefusedException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The firewall rules of a zone. Owned by the zone's turn. */
public final class Rules {

  /** The order of rules without a priority, as a list that contains each action once. */
  private static final String PRECEDENCE =
      " LOG BYPASS ALLOW CHALLENGE MANAGED_CHALLENGE JS_CHALLENGE BLOCK ";

  private static final Set<FirewallAction> ACTIONS =
      Set.of(
          FirewallAction.LOG,
          FirewallAction.BYPASS,
          FirewallAction.ALLOW,
          FirewallAction.CHALLENGE,
          FirewallAction.MANAGED_CHALLENGE,
          FirewallAction.JS_CHALLENGE,
          FirewallAction.BLOCK);

  private final ZoneStore store;
  private final FilterTable filters;

  /**
   * What has become of new rules.
   *
   * @param rules the rules that are stored
   * @param refusal why they are not; null if they are. Their filters are stored
   */
  public record Added(List<FirewallRule> rules, @Nullable RefusedException refusal) {}

  /**
   * What a migration needs to know of a rule.
   *
   * @param expression its expression
   * @param bypassesWaf whether requests that match bypass the managed rules
   */
  public record Summary(String expression, boolean bypassesWaf) {}

  private record Active(
      String id, String filterId, String expression, String word, String products) {

    StoredRule stored() {
      return new StoredRule(id, filterId, expression, word, RuleRow.products(products));
    }
  }

  /** A rule that is checked, and whether its filter is to be stored. */
  private record Planned(FirewallRule rule, boolean isNew) {

    Filter filter() {
      return rule.filter();
    }
  }

  /**
   * Creates the table.
   *
   * @param store the zone
   * @param filters its filters
   */
  public Rules(ZoneStore store, FilterTable filters) {
    this.store = store;
    this.filters = filters;
  }

  /**
   * {@return the wanted rules}
   *
   * @param search the wanted ones
   * @param page the page
   */
  public Found<FirewallRule> list(RuleSearch search, PageRange page) {
    Selection wanted = new Selection("true");
    wanted.andIf("id = ?", search.id());
    wanted.andIf("action = ?", search.action() == null ? null : search.action().name());
    wanted.andIf("instr(lower(description), lower(?)) > 0", search.description());
    wanted.andIf("paused = ?", search.paused());
    Found<RuleRow> found = store.page("rule", wanted, "seq", page, RuleRow.class);
    return new Found<>(
        found.items().stream().map(this::withFilter).toList(), page, found.totalCount());
  }

  /**
   * Stores rules, with their filters if these are new.
   *
   * @param rules the rules
   * @return what has become of them
   */
  public Added create(List<FirewallRule> rules) {
    List<Planned> planned = new ArrayList<>();
    Set<String> expressions = new HashSet<>();
    for (FirewallRule rule : rules) {
      Planned plan = plan(rule, planned.size());
      if (plan.isNew() && !expressions.add(plan.filter().expression())) {
        String message = at(planned.size()) + "config duplicates another one of the request";
        throw RefusedException.wrong(10102, message, "/" + planned.size() + "/filter");
      }
      planned.add(plan);
    }
    planned.stream().filter(Planned::isNew).map(Planned::filter).forEach(filters::put);
    int max = store.profile().firewallRulesMax();
    long count = store.count("SELECT count(*) AS n FROM rule") + planned.size();
    if (count > max) {
      return new Added(List.of(), overQuota(planned, count, max));
    }
    planned.forEach(plan -> put(plan.rule()));
    return new Added(planned.stream().map(Planned::rule).toList(), null);
  }

  private static RefusedException overQuota(List<Planned> planned, long count, int max) {
    String message = "exceeded the maximum number of firewall rules: " + count + " out of " + max;
    List<RefusalDetail> refusals = new ArrayList<>();
    for (Planned plan : planned) {
      refusals.add(
          new RefusalDetail(10203, message)
              .at("/" + refusals.size())
              .about("filter", plan.filter().id()));
    }
    return new RefusedException(refusals.toArray(RefusalDetail[]::new));
  }

  /**
   * Deletes a rule.
   *
   * @param id its id
   * @param withFilter whether its filter is deleted, too, if no other rule uses it
   * @return what was deleted
   */
  public DeletedRule delete(String id, boolean withFilter) {
    FirewallRule rule = find(id);
    store.exec("DELETE FROM rule WHERE id = ?", id);
    if (withFilter) {
      filters.deleteIfUnused(rule.filter().id());
    }
    return new DeletedRule(rule, filters.findIfAny(rule.filter().id()) == null);
  }

  private Planned plan(FirewallRule rule, int index) {
    String place = "/" + index;
    Filter given = rule.filter();
    boolean isNew = given.id().isEmpty();
    Filter filter = isNew ? given.withId(store.newId()) : filters.findIfAny(given.id());
    if (filter == null) {
      throw RefusedException.wrong(10202, at(index) + "filter not found", place + "/filter/id");
    }
    if (isNew) {
      String expression = place + "/filter/expression";
      filters.check(filter, at(index), 10202, expression);
      filters.refuseDuplicate(filter, expression, at(index));
    }
    return new Planned(checked(rule, store.newId(), filter, place), isNew);
  }

  private static String at(int index) {
    return "filter at index " + index + ": ";
  }

  private FirewallRule checked(FirewallRule rule, String id, Filter filter, String place) {
    FirewallAction action = rule.action();
    if (action == FirewallAction.NONE) {
      throw RefusedException.invalidJson("missing field \"action\"", place + "/action");
    }
    if (!ACTIONS.contains(action)) {
      throw RefusedException.invalidJson(
          "unknown variant for action: " + action.word(), place + "/action");
    }
    if (action == FirewallAction.LOG && store.profile().plan() != Plan.ENTERPRISE) {
      throw RefusedException.wrong(
          10204, "not entitled: the action log needs an Enterprise plan", place + "/action");
    }
    if (rule.products().isEmpty() == (action == FirewallAction.BYPASS)) {
      throw RefusedException.invalidJson(
          "products are for the action bypass, which needs at least one", place + "/products");
    }
    return new FirewallRule(
        id,
        rule.paused(),
        action,
        rule.priority(),
        rule.description(),
        rule.ref(),
        rule.products(),
        filter);
  }

  /**
   * Replaces a rule.
   *
   * @param rule the new one, with the id of the old one and a stored filter
   * @return the new one
   */
  public FirewallRule replace(FirewallRule rule) {
    find(rule.id());
    Filter filter = filters.findIfAny(rule.filter().id());
    if (filter == null) {
      throw RefusedException.wrong(10202, "filter not found", "/filter");
    }
    FirewallRule changed = checked(rule, rule.id(), filter, "");
    put(changed);
    return changed;
  }

  /**
   * Changes a priority.
   *
   * @param change the change
   * @return the rule
   */
  public FirewallRule prioritise(Priority change) {
    find(change.id());
    store.exec("UPDATE rule SET priority = ? WHERE id = ?", change.priority(), change.id());
    return find(change.id());
  }

  private void put(FirewallRule rule) {
    store.put("rule", "id", RuleRow.of(rule));
  }

  /**
   * {@return the rule with an id}
   *
   * @param id the id
   */
  public FirewallRule find(String id) {
    return withFilter(
        store.get(
            "firewallrules.api.not_found", "SELECT * FROM rule WHERE id = ?", RuleRow.class, id));
  }

  private FirewallRule withFilter(RuleRow row) {
    return row.with(filters.find(row.filterId()));
  }

  /** {@return all rules, for a migration} */
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

  /** {@return the active rules, in the order in which they are decided} */
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
