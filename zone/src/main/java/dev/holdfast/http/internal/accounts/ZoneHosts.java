package dev.holdfast.http.internal.accounts;

import dev.holdfast.http.object.Accounts;
import dev.holdfast.http.object.ZoneChanges;
import dev.holdfast.http.object.ZoneEntry;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Finds the zones of hosts. Reads the list of zones when it has changed. Thread-safe. */
public final class ZoneHosts {

  private final Accounts accounts;
  private final ZoneChanges changes;
  private volatile Hosts hosts = new Hosts(Long.MIN_VALUE, Map.of());

  /** The zones by their domains, and the count of changes before they were read. */
  private record Hosts(long count, Map<String, String> zones) {}

  /**
   * Starts without a list.
   *
   * @param accounts has the list of zones
   * @param changes counts its changes
   */
  public ZoneHosts(Accounts accounts, ZoneChanges changes) {
    this.accounts = accounts;
    this.changes = changes;
  }

  /**
   * {@return the id of the zone that covers a host: the one with the longest domain}
   *
   * @param host a host name without a port
   */
  public Optional<String> zoneOf(String host) {
    long count = changes.count(Accounts.NAME);
    Hosts known = hosts;
    if (known.count() != count) {
      Map<String, String> byName = new HashMap<>();
      for (ZoneEntry zone : accounts.zones()) {
        byName.putIfAbsent(zone.name(), zone.id());
      }
      known = new Hosts(count, byName);
      hosts = known;
    }
    String domain = host.toLowerCase(Locale.ROOT);
    while (true) {
      String zone = known.zones().get(domain);
      int dot = domain.indexOf('.');
      if (zone != null || dot < 0) {
        return Optional.ofNullable(zone);
      }
      domain = domain.substring(dot + 1);
    }
  }
}
