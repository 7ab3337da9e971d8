package dev.holdfast.http.internal.firewall;

/** The bounds of a zone's rulesets and of its migration. */
public final class FirewallBounds {

  /** The longest document that is accepted, in bytes. */
  public static final int DOCUMENT_BYTES_MAX = 1 << 20;

  /** Items of each list in the previous managed rules of a zone. */
  public static final int LEGACY_ITEMS_MAX = 5_000;

  /**
   * Page rules that can be migrated: together with {@link #FIREWALL_RULES_MIGRATED_MAX}, the
   * capacity of one ruleset.
   */
  public static final int PAGE_RULES_MIGRATED_MAX = 800;

  /** Firewall rules that can be migrated. */
  public static final int FIREWALL_RULES_MIGRATED_MAX = 200;

  /** Rules of a ruleset. */
  public static final int RULES_MAX = 1_000;

  /** Versions kept per ruleset; the oldest are deleted first. */
  public static final int RULESET_VERSIONS_MAX = 100;

  /**
   * The total length of the rules of a ruleset: all versions are kept, and each is read as a whole
   * when a rule is changed.
   */
  public static final int RULES_LENGTH_MAX = 1 << 20;

  private FirewallBounds() {}
}
