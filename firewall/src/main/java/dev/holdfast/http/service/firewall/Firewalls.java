package dev.holdfast.http.service.firewall;

import dev.holdfast.ObjectRegistrar;
import dev.holdfast.http.firewall.object.FirewallZone;
import dev.holdfast.http.internal.firewallzone.FirewallObject;
import dev.holdfast.http.internal.store.Expressions;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.ZoneChanges;
import java.time.InstantSource;
import java.util.random.RandomGenerator;

/** The objects of firewalls. */
public final class Firewalls {

  private Firewalls() {}

  /**
   * Registers the namespace of firewalls.
   *
   * @param objects the objects of the application
   * @param clock the source of the time
   * @param random generates identifiers
   * @param changes counts the changes of zones, for {@link FirewallDecisions}
   */
  public static void register(
      ObjectRegistrar objects, InstantSource clock, RandomGenerator random, ZoneChanges changes) {
    objects.namespace(
        FirewallZone.NAMESPACE,
        FirewallZone.class,
        context -> open(new ZoneStore(context, clock, random, changes)));
  }

  private static FirewallZone open(ZoneStore store) {
    return new FirewallObject(store, new Expressions(store));
  }
}
