package dev.holdfast.http.object;

import java.util.List;

/**
 * What a credential allows. Immutable.
 *
 * @param id the public part of the credential: the id of a token, or the e-mail address of a key
 * @param zones the zones it is for; empty means all
 * @param permissions what it may do there
 */
public record Grant(String id, List<String> zones, List<Permission> permissions) {

  /** Copies the lists. */
  public Grant {
    zones = List.copyOf(zones);
    permissions = List.copyOf(permissions);
  }

  /**
   * {@return whether this is for a zone}
   *
   * @param zone the id of the zone
   */
  public boolean coversZone(String zone) {
    return zones.isEmpty() || zones.contains(zone);
  }

  /**
   * {@return whether this allows what needs a permission}
   *
   * @param needed the permission
   */
  public boolean allows(Permission needed) {
    return permissions.contains(needed) || permissions.contains(needed.stronger());
  }
}
