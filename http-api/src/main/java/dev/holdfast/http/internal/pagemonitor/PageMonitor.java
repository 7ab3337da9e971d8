package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.internal.call.Operation;
import dev.holdfast.http.internal.endpoint.Endpoint;
import dev.holdfast.http.internal.store.Expressions;
import dev.holdfast.http.internal.store.ZoneStore;
import java.util.Map;

/** Page monitoring of a zone. Owned by the zone's turn. */
public final class PageMonitor {

  private final Settings settings;
  private final Policies policies;

  /**
   * Opens the page monitoring of a zone.
   *
   * @param store the zone's store
   * @param expressions compiles expressions
   */
  public PageMonitor(ZoneStore store, Expressions expressions) {
    settings = new Settings(store);
    policies = new Policies(store, expressions);
  }

  /**
   * Adds what this answers.
   *
   * @param operations by endpoint
   */
  public void addTo(Map<Endpoint, Operation> operations) {
    operations.put(Endpoint.GET_SETTINGS, settings::get);
    operations.put(Endpoint.UPDATE_SETTINGS, settings::update);
    operations.put(Endpoint.LIST_POLICIES, policies::list);
    operations.put(Endpoint.CREATE_POLICY, policies::create);
    operations.put(Endpoint.GET_POLICY, policies::get);
    operations.put(Endpoint.UPDATE_POLICY, policies::update);
    operations.put(Endpoint.DELETE_POLICY, policies::delete);
  }
}
