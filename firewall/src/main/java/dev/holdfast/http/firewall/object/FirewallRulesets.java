package dev.holdfast.http.firewall.object;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rulesets of a zone, each with its versions. Rules are JSON objects, since their parameters
 * depend on the action. Each method is one turn. All throw {@link
 * dev.holdfast.http.object.RefusedException} where the zone does not have or allow what is asked.
 */
public interface FirewallRulesets {

  /** {@return the latest versions of all rulesets in the order of their names, without rules} */
  List<Ruleset> rulesets();

  /**
   * {@return the latest version of a ruleset}
   *
   * @param id its id
   * @throws dev.holdfast.http.object.RefusedException if there is none
   */
  Ruleset ruleset(String id);

  /**
   * Creates a ruleset.
   *
   * @param kind {@code zone} for the entry point of its phase, {@code custom} for others
   * @param phase its phase
   * @param draft the rest
   * @return its first version
   * @throws dev.holdfast.http.object.RefusedException if there is no such ruleset, or the zone does
   *     not allow the rules
   */
  Ruleset createRuleset(String kind, String phase, RulesetDraft draft);

  /**
   * Changes a ruleset.
   *
   * @param id its id
   * @param draft what it becomes
   * @return the new version
   * @throws dev.holdfast.http.object.RefusedException if there is no such ruleset, or the zone does
   *     not allow the rules
   */
  Ruleset updateRuleset(String id, RulesetDraft draft);

  /**
   * Deletes a ruleset with all its versions.
   *
   * @param id its id
   * @throws dev.holdfast.http.object.RefusedException if there is none
   */
  void deleteRuleset(String id);

  /**
   * Adds a rule to a ruleset.
   *
   * @param id the id of the ruleset
   * @param rule the rule, a JSON object; may have a position
   * @return the new version
   * @throws dev.holdfast.http.object.RefusedException if there is no such ruleset, or the zone does
   *     not allow the rules
   */
  Ruleset addRulesetRule(String id, String rule);

  /**
   * Changes members of a rule, or its position.
   *
   * @param id the id of the ruleset
   * @param ruleId the id of the rule
   * @param rule the members that change, a JSON object; may have a position
   * @return the new version
   * @throws dev.holdfast.http.object.RefusedException if there is no such ruleset, or the zone does
   *     not allow the rules
   */
  Ruleset updateRulesetRule(String id, String ruleId, String rule);

  /**
   * {@return a rule of a ruleset, a JSON object}
   *
   * @param id the id of the ruleset
   * @param ruleId the id of the rule
   * @throws dev.holdfast.http.object.RefusedException if there is none
   */
  String rulesetRule(String id, String ruleId);

  /**
   * Deletes a rule.
   *
   * @param id the id of the ruleset
   * @param ruleId the id of the rule
   * @return the new version
   * @throws dev.holdfast.http.object.RefusedException if there is none
   */
  Ruleset deleteRulesetRule(String id, String ruleId);

  /**
   * {@return the kept versions of a ruleset, the eldest first, without rules}
   *
   * @param id its id
   * @throws dev.holdfast.http.object.RefusedException if there is none
   */
  List<Ruleset> rulesetVersions(String id);

  /**
   * {@return a version of a ruleset}
   *
   * @param id its id
   * @param version the version
   * @throws dev.holdfast.http.object.RefusedException if there is none
   */
  Ruleset rulesetVersion(String id, String version);

  /**
   * Deletes a version that is not the latest one.
   *
   * @param id the id of the ruleset
   * @param version the version
   * @throws dev.holdfast.http.object.RefusedException if there is none
   */
  void deleteRulesetVersion(String id, String version);

  /**
   * {@return the latest version of the entry point of a phase}
   *
   * @param phase the phase
   * @throws dev.holdfast.http.object.RefusedException if there is none
   */
  Ruleset entryPoint(String phase);

  /**
   * Checks the rules of an entry point and changes nothing.
   *
   * @param phase the phase
   * @param draft has the rules
   * @throws dev.holdfast.http.object.RefusedException if they are wrong
   */
  void checkEntryPoint(String phase, RulesetDraft draft);

  /**
   * Changes the entry point of a phase; creates it if there is none.
   *
   * @param phase the phase
   * @param draft what it becomes
   * @param migration the state to which the migration of the zone goes with it; null if it stays
   * @return the new version
   * @throws dev.holdfast.http.object.RefusedException if there is no such ruleset, or the zone does
   *     not allow the rules
   */
  Ruleset updateEntryPoint(String phase, RulesetDraft draft, @Nullable MigrationState migration);

  /**
   * {@return the kept versions of the entry point of a phase, the eldest first, without rules}
   *
   * @param phase the phase
   */
  List<Ruleset> entryPointVersions(String phase);

  /**
   * {@return a version of the entry point of a phase}
   *
   * @param phase the phase
   * @param version the version
   * @throws dev.holdfast.http.object.RefusedException if there is none
   */
  Ruleset entryPointVersion(String phase, String version);
}
