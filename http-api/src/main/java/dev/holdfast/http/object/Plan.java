package dev.holdfast.http.object;

/** What a zone's account has paid for: decides quotas and the ways of a migration. */
public enum Plan {
  /** 5 firewall rules. */
  FREE(5),
  /** 20 firewall rules; no validation mode. */
  PRO(20),
  /** 100 firewall rules; no validation mode. */
  BUSINESS(100),
  /** 1,000 firewall rules; may migrate by way of validation; has the action {@code log}. */
  ENTERPRISE(1_000);

  private final int firewallRulesMax;

  Plan(int firewallRulesMax) {
    this.firewallRulesMax = firewallRulesMax;
  }

  /**
   * {@return how many firewall rules a zone of this plan has at most, unless its profile differs}
   */
  public int firewallRulesMax() {
    return firewallRulesMax;
  }
}
