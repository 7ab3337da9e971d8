package dev.holdfast.http.object;

/**
 * The settings of a zone that an operator decides. Immutable.
 *
 * @param id 32 lower-case hexadecimal digits
 * @param name the domain of the zone: the zone covers the domain and every host below it
 * @param plan the plan that was paid for
 * @param firewallRulesMax the quota of firewall rules, 0 or more
 * @param policiesMax the quota of content security policies, 0 or more
 * @param matchesAllowed whether filter expressions may use regular expressions
 */
public record ZoneProfile(
    String id,
    String name,
    Plan plan,
    int firewallRulesMax,
    int policiesMax,
    boolean matchesAllowed) {

  /** The default quota of policies of a zone. */
  public static final int POLICIES_MAX = 100;

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException if the id or the name is malformed, or a quota is negative
   */
  public ZoneProfile {
    if (!Ids.isId(id)) {
      throw new IllegalArgumentException("a zone id is 32 lower-case hexadecimal digits: " + id);
    }
    if (!Ids.isDomain(name)) {
      throw new IllegalArgumentException(
          "a zone is named by a domain such as example.com: " + name);
    }
    if (firewallRulesMax < 0 || policiesMax < 0) {
      throw new IllegalArgumentException(
          "a quota must not be negative: " + firewallRulesMax + ", " + policiesMax);
    }
  }

  /**
   * {@return the default profile of a plan}
   *
   * @param id 32 lower-case hexadecimal digits
   * @param name a domain
   * @param plan the plan that was paid for
   * @throws IllegalArgumentException if the id or the name is malformed
   */
  public static ZoneProfile of(String id, String name, Plan plan) {
    return new ZoneProfile(id, name, plan, plan.firewallRulesMax(), POLICIES_MAX, true);
  }

  /**
   * {@return this profile with another quota of firewall rules}
   *
   * @param max 0 or more
   * @throws IllegalArgumentException if the quota is negative
   */
  public ZoneProfile withFirewallRulesMax(int max) {
    return new ZoneProfile(id, name, plan, max, policiesMax, matchesAllowed);
  }

  /**
   * {@return this profile with another quota of policies}
   *
   * @param max 0 or more
   * @throws IllegalArgumentException if the quota is negative
   */
  public ZoneProfile withPoliciesMax(int max) {
    return new ZoneProfile(id, name, plan, firewallRulesMax, max, matchesAllowed);
  }

  /**
   * {@return this profile with regular expressions allowed or not}
   *
   * @param allowed whether they are
   */
  public ZoneProfile withMatchesAllowed(boolean allowed) {
    return new ZoneProfile(id, name, plan, firewallRulesMax, policiesMax, allowed);
  }

  /**
   * {@return whether a host is the zone's domain or below it}
   *
   * @param host a host name in lower case
   */
  public boolean covers(String host) {
    return host.equals(name) || host.endsWith("." + name);
  }
}
