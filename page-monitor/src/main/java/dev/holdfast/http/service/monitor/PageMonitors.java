package dev.holdfast.http.service.monitor;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.http.analysis.ReputationFeed;
import dev.holdfast.http.internal.pagemonitor.MonitorObject;
import dev.holdfast.http.internal.store.Expressions;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.monitor.object.MonitorZone;
import dev.holdfast.http.object.ZoneChanges;
import java.time.InstantSource;
import java.util.random.RandomGenerator;

/** The objects of page monitors. */
public final class PageMonitors {

  private PageMonitors() {}

  /**
   * Registers the namespace of page monitors.
   *
   * @param objects the objects of the application
   * @param clock the source of the time
   * @param random generates identifiers
   * @param feed the source of malicious hosts and URLs
   * @param changes counts the changes of zones, for {@link Reporting}
   */
  public static void register(
      ObjectRegistrar objects,
      InstantSource clock,
      RandomGenerator random,
      ReputationFeed feed,
      ZoneChanges changes) {
    objects.namespace(
        MonitorZone.NAMESPACE,
        MonitorZone.class,
        context -> open(context, new ZoneStore(context, clock, random, changes), feed));
  }

  private static MonitorZone open(ObjectContext context, ZoneStore store, ReputationFeed feed) {
    return new MonitorObject(context, store, new Expressions(store), feed);
  }
}
