package dev.holdfast.http.monitor.object;

import dev.holdfast.http.object.ZoneProfile;
import java.util.List;

/**
 * What the monitor of a zone needs to write the headers of pages, as it is stored. Immutable.
 *
 * @param profile the zone
 * @param enabled whether pages are monitored
 * @param vendorEndpoint whether reports go to the vendor's own host instead of the page's host
 * @param policies the enabled policies, in the order of their creation
 */
public record ZoneMonitor(
    ZoneProfile profile, boolean enabled, boolean vendorEndpoint, List<StoredPolicy> policies) {

  /** Copies the list. */
  public ZoneMonitor {
    policies = List.copyOf(policies);
  }

  /**
   * A content security policy. Immutable.
   *
   * @param id the policy
   * @param action its action
   * @param expression the requests to which it applies
   * @param value its directives
   */
  public record StoredPolicy(String id, String action, String expression, String value) {}
}
