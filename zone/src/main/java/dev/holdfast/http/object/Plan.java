package dev.holdfast.http.object;

/**
 * The plan that a zone's account has paid for: determines quotas and the options of a migration.
 */
public enum Plan {
  /** 5 firewall rules. */
  FREE(5),
  /** 20 firewall rules; no validation mode. */
  PRO(20),
  /** 100 firewall rules; no validation mode. */
  BUSINESS(100),
  /** 1,000 firewall rules; may migrate through validation; has the action {@code log}. */
  ENTERPRISE(1_000);

  private final int firewallRulesMax;

  Plan(int firewallRulesMax) {
    this.firewallRulesMax = firewallRulesMax;
  }

  /**
   * {@return the maximum number of firewall rules of a zone of this plan, unless its profile
   * differs}
   */
  public int firewallRulesMax() {
    return firewallRulesMax;
  }
}
