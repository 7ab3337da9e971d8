package dev.holdfast.http.internal.firewall;

import dev.holdfast.http.firewall.object.Filter;
import dev.holdfast.http.firewall.object.FilterSearch;
import dev.holdfast.http.internal.store.Expressions;
import dev.holdfast.http.internal.store.Selection;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.Found;
import dev.holdfast.http.object.PageRange;
import dev.holdfast.http.object.RefusalDetail;
import dev.holdfast.http.object.RefusedException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The filters of a zone. Owned by the zone's turn. */
public final class FilterTable {

  /** The code of an expression that is wrong. */
  static final int BAD_EXPRESSION = 10101;

  private static final String EXPRESSION = "/expression";
  private static final String BY_ID = "SELECT * FROM filter WHERE id = ?";

  private final ZoneStore store;
  private final Expressions expressions;

  /**
   * Creates the table.
   *
   * @param store the zone
   * @param expressions checks expressions
   */
  public FilterTable(ZoneStore store, Expressions expressions) {
    this.store = store;
    this.expressions = expressions;
  }

  /**
   * {@return the wanted filters}
   *
   * @param search the wanted ones
   * @param page the page
   */
  public Found<Filter> list(FilterSearch search, PageRange page) {
    Selection wanted = new Selection("true");
    wanted.andIf("id = ?", search.id());
    wanted.andIf("instr(lower(expression), lower(?)) > 0", search.expression());
    wanted.andIf("instr(lower(description), lower(?)) > 0", search.description());
    wanted.andIf("ref = ?", search.ref());
    wanted.andIf("paused = ?", search.paused());
    return store.page("filter", wanted, "seq", page, Filter.class);
  }

  /**
   * Stores filters.
   *
   * @param filters the filters
   * @return the filters with their ids
   */
  public List<Filter> create(List<Filter> filters) {
    List<Filter> result = new ArrayList<>();
    Set<String> given = new HashSet<>();
    for (Filter draft : filters) {
      String place = "/" + result.size() + EXPRESSION;
      Filter filter = draft.withId(store.newId());
      check(filter, "", BAD_EXPRESSION, place);
      if (!given.add(filter.expression())) {
        // Without an id: the previous filter's id is rolled back with the request.
        throw RefusedException.wrong(10102, "config duplicates another one of the request", place);
      }
      refuseDuplicate(filter, place, "");
      put(filter);
      result.add(filter);
    }
    return result;
  }

  /**
   * Deletes a filter that no rule uses.
   *
   * @param id its id
   */
  public void delete(String id) {
    find(id);
    deleteAll(List.of(id));
  }

  /**
   * Deletes filters that no rule uses.
   *
   * @param ids their ids
   */
  public void deleteAll(List<String> ids) {
    ids.forEach(this::refuseIfUsed);
    store.delete("filter", ids);
  }

  /**
   * {@return the filter with an id}
   *
   * @param id the id
   */
  public Filter find(String id) {
    return store.get("filter not found", BY_ID, Filter.class, id);
  }

  @Nullable Filter findIfAny(String id) {
    return store.find(BY_ID, Filter.class, id);
  }

  void check(Filter filter, String prefix, int code, String place) {
    expressions.check(filter.expression(), false, prefix, code, place);
  }

  /** Two filters of a zone with one expression would be the same filter. */
  void refuseDuplicate(Filter filter, String place, String prefix) {
    Filter other =
        store.find(
            "SELECT * FROM filter WHERE expression = ? AND id != ?",
            Filter.class,
            filter.expression(),
            filter.id());
    if (other != null) {
      throw new RefusedException(
          new RefusalDetail(10102, prefix + "config duplicates an already existing config")
              .at(place)
              .about("", other.id()));
    }
  }

  void put(Filter filter) {
    store.put("filter", "id", filter);
  }

  void deleteIfUnused(String id) {
    store.exec(
        "DELETE FROM filter WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM rule WHERE filter_id = ?1)",
        id);
  }

  /**
   * Replaces a filter.
   *
   * @param changed the new one, with the id of the old one
   * @return the new one
   */
  public Filter replace(Filter changed) {
    find(changed.id());
    check(changed, "", BAD_EXPRESSION, EXPRESSION);
    refuseDuplicate(changed, EXPRESSION, "");
    put(changed);
    return changed;
  }

  private void refuseIfUsed(String id) {
    RuleRow user = store.find("SELECT * FROM rule WHERE filter_id = ?", RuleRow.class, id);
    if (user != null) {
      throw new RefusedException(
          new RefusalDetail(10104, "filter " + id + " is used by firewall rules")
              .about("rule", user.id()));
    }
  }
}
