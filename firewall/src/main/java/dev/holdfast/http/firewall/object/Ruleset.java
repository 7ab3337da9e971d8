package dev.holdfast.http.firewall.object;

/**
 * A version of a ruleset. Immutable.
 *
 * @param id the id of the ruleset
 * @param name its name, which never changes
 * @param description the description of this version
 * @param kind {@code zone} for the entry point of its phase, {@code custom} for others
 * @param version the version, from 1
 * @param lastUpdated the time of this version, as a text
 * @param phase the phase
 * @param latest whether it is the latest version
 * @param rules the rules in their order, as a JSON array; {@code []} in lists of rulesets
 */
public record Ruleset(
    String id,
    String name,
    String description,
    String kind,
    long version,
    String lastUpdated,
    String phase,
    boolean latest,
    String rules) {

  /**
   * {@return the next version}
   *
   * @param newDescription its description
   * @param newRules its rules
   * @param now its time
   */
  public Ruleset next(String newDescription, String newRules, String now) {
    return new Ruleset(id, name, newDescription, kind, version + 1, now, phase, true, newRules);
  }
}
