package dev.holdfast.http.firewall.object;

import dev.holdfast.http.object.Found;
import dev.holdfast.http.object.PageRange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The filters and the firewall rules of a zone. Each method is one turn, and a method for several
 * items changes all or none. All throw {@link dev.holdfast.http.object.RefusedException} where the
 * zone does not have or allow what is asked.
 */
public interface FirewallRules {

  /**
   * {@return the wanted filters, in the order of their creation}
   *
   * @param wanted the wanted ones
   * @param page the page
   */
  Found<Filter> filters(FilterSearch wanted, PageRange page);

  /**
   * {@return the filter with an id}
   *
   * @param id the id
   * @throws dev.holdfast.http.object.RefusedException if there is none
   */
  Filter filter(String id);

  /**
   * Stores filters.
   *
   * @param filters the filters; their ids are not read
   * @return the filters with the ids that the zone has given them
   * @throws dev.holdfast.http.object.RefusedException if an expression is wrong, or there is
   *     another filter with it
   */
  List<Filter> addFilters(List<Filter> filters);

  /**
   * Replaces the stored filter with the id of another one.
   *
   * @param filter the other one
   * @return the stored filter
   * @throws dev.holdfast.http.object.RefusedException if there is no such filter, an expression is
   *     wrong, or there is another filter with it
   */
  Filter replaceFilter(Filter filter);

  /**
   * Replaces the stored filters with the ids of others.
   *
   * @param filters the others
   * @return the stored filters
   * @throws dev.holdfast.http.object.RefusedException if there is no such filter, an expression is
   *     wrong, or there is another filter with it
   */
  List<Filter> replaceFilters(List<Filter> filters);

  /**
   * Deletes a filter that no rule uses.
   *
   * @param id its id
   * @throws dev.holdfast.http.object.RefusedException if there is none, or a rule uses it
   */
  void deleteFilter(String id);

  /**
   * Deletes filters that no rule uses.
   *
   * @param ids their ids; unknown ones are no mistake
   * @throws dev.holdfast.http.object.RefusedException if a rule uses one of them
   */
  void deleteFilters(List<String> ids);

  /**
   * {@return the wanted rules, in the order of their creation}
   *
   * @param wanted the wanted ones
   * @param page the page
   */
  Found<FirewallRule> rules(RuleSearch wanted, PageRange page);

  /**
   * {@return the rule with an id}
   *
   * @param id the id
   * @throws dev.holdfast.http.object.RefusedException if there is none
   */
  FirewallRule rule(String id);

  /**
   * Stores rules, with their filters if these have no ids. Beyond the quota of the zone the rules
   * are refused, and their filters are stored: the refusals name them.
   *
   * @param rules the rules; their ids are not read
   * @return the rules with the ids that the zone has given them
   * @throws dev.holdfast.http.object.RefusedException if a rule or an expression is wrong, or the
   *     quota is reached
   */
  List<FirewallRule> addRules(List<FirewallRule> rules);

  /**
   * Replaces the stored rule with the id of another one, whose filter is a stored one.
   *
   * @param rule the other one
   * @return the stored rule
   * @throws dev.holdfast.http.object.RefusedException if there is no such rule or filter, or a rule
   *     is wrong
   */
  FirewallRule replaceRule(FirewallRule rule);

  /**
   * Replaces the stored rules with the ids of others.
   *
   * @param rules the others
   * @return the stored rules
   * @throws dev.holdfast.http.object.RefusedException if there is no such rule or filter, or a rule
   *     is wrong
   */
  List<FirewallRule> replaceRules(List<FirewallRule> rules);

  /**
   * Changes the priorities of rules.
   *
   * @param changes the changes
   * @return the rules
   * @throws dev.holdfast.http.object.RefusedException if there is no such rule
   */
  List<FirewallRule> prioritise(List<Priority> changes);

  /**
   * Deletes a rule.
   *
   * @param id its id
   * @param withFilter whether its filter is deleted, too, if no other rule uses it
   * @return what was deleted
   * @throws dev.holdfast.http.object.RefusedException if there is no such rule
   */
  DeletedRule deleteRule(String id, boolean withFilter);

  /**
   * Deletes rules.
   *
   * @param ids their ids; unknown ones are no mistake
   */
  void deleteRules(List<String> ids);

  /**
   * A change of a priority.
   *
   * @param id the id of the rule
   * @param priority the priority, or null for none
   */
  record Priority(String id, @Nullable Long priority) {}
}
