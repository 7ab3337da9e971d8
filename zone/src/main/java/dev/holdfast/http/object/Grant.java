package dev.holdfast.http.object;

import java.util.List;

/**
 * The grant of a credential. Immutable.
 *
 * @param id the public part of the credential: the id of a token, or the e-mail address of a key
 * @param zones the zones that it covers; empty means all
 * @param permissions its permissions in these zones
 */
public record Grant(String id, List<String> zones, List<Permission> permissions) {

  /** Copies the lists. */
  public Grant {
    zones = List.copyOf(zones);
    permissions = List.copyOf(permissions);
  }

  /**
   * {@return whether this grant covers a zone}
   *
   * @param zone the id of the zone
   */
  public boolean coversZone(String zone) {
    return zones.isEmpty() || zones.contains(zone);
  }

  /**
   * {@return whether this grant includes a permission}
   *
   * @param needed the permission
   */
  public boolean allows(Permission needed) {
    return permissions.contains(needed) || permissions.contains(needed.stronger());
  }
}
