package dev.holdfast.http.object;

import java.util.Arrays;
import java.util.List;

/** A permission of a token in its zones. Edit permissions include read permissions. */
public enum Permission {
  /** Read settings, detections and policies of page monitoring. */
  PAGE_MONITOR_READ,
  /** Change them. */
  PAGE_MONITOR_EDIT,
  /** Read filters, firewall rules and the previous managed rules. */
  FIREWALL_READ,
  /** Change them. */
  FIREWALL_EDIT,
  /** Read rulesets and the state of the migration. */
  RULESETS_READ,
  /** Change rulesets, and migrate. */
  RULESETS_EDIT,
  /**
   * Ask for the headers of pages and for decisions on requests, and nothing else: for a proxy or a
   * site. The permissions that these operations need otherwise include them as well.
   */
  PROXY,
  /**
   * Create zones and change their profiles; list, create, renew and revoke tokens and keys, of any
   * permission: for the operator of the installation. Only for all zones.
   */
  OPERATE;

  /** All permissions in zones: all but {@link #OPERATE}. */
  public static final List<Permission> OF_ZONES =
      Arrays.stream(values()).filter(each -> each != OPERATE).toList();

  /** {@return the permission that includes this one; itself if none does} */
  public Permission stronger() {
    return switch (this) {
      case PAGE_MONITOR_READ, PAGE_MONITOR_EDIT -> PAGE_MONITOR_EDIT;
      case FIREWALL_READ, FIREWALL_EDIT -> FIREWALL_EDIT;
      case RULESETS_READ, RULESETS_EDIT -> RULESETS_EDIT;
      case PROXY, OPERATE -> this;
    };
  }
}
