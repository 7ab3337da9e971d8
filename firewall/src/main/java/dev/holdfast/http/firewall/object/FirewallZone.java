package dev.holdfast.http.firewall.object;

import dev.holdfast.http.object.ZoneProfile;
import org.jspecify.annotations.Nullable;

/**
 * The firewall of a zone as a durable object, addressed by the id of the zone. Before all else it
 * is configured, once.
 */
public interface FirewallZone extends FirewallRules, FirewallRulesets, PreviousRules {

  /** The namespace of firewalls that are not part of the HTTP API. */
  String NAMESPACE = "firewalls";

  /**
   * Creates the zone, or changes its profile.
   *
   * @param profile the new profile
   */
  void configure(ZoneProfile profile);

  /** {@return the profile of the zone; null if it was never created} */
  @Nullable ZoneProfile profile();

  /** {@return what the firewall of this zone decides with} */
  ZoneFirewall firewall();
}
