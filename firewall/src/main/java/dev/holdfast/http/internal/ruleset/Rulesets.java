package dev.holdfast.http.internal.ruleset;

import dev.holdfast.http.firewall.object.MigrationState;
import dev.holdfast.http.firewall.object.Ruleset;
import dev.holdfast.http.firewall.object.RulesetDraft;
import dev.holdfast.http.firewall.object.ZoneFirewall.StoredRuleset;
import dev.holdfast.http.internal.firewall.FirewallBounds;
import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.migration.RuleMigration;
import dev.holdfast.http.internal.store.Expressions;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.RefusalDetail;
import dev.holdfast.http.object.RefusedException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The rulesets of a zone. Owned by the zone's turn. */
public final class Rulesets {

  /** For lists, which show no rules: rules are most of a zone's data. */
  private static final String SELECT_SUMMARIES =
      "SELECT id, version, latest, kind, phase, name, description, last_updated, '[]' AS rules"
          + " FROM ruleset";

  private static final String ZONE = "zone";
  private static final String RULES = "/rules";

  private final ZoneStore store;
  private final RuleReader reader;
  private final RuleMigration migration;

  /**
   * Opens the rulesets of a zone.
   *
   * @param store the zone's store
   * @param expressions compiles expressions
   * @param migration is asked before an entry point is written
   */
  public Rulesets(ZoneStore store, Expressions expressions, RuleMigration migration) {
    this.store = store;
    this.reader = new RuleReader(store, expressions);
    this.migration = migration;
  }

  /** {@return the latest versions of all rulesets, without rules} */
  public List<Ruleset> all() {
    return list(" WHERE latest ORDER BY name, id");
  }

  /** {@return the latest versions, for the decisions on requests} */
  public List<StoredRuleset> latest() {
    return store.list(
        "SELECT *, kind = 'zone' AS is_entry_point FROM ruleset WHERE latest ORDER BY id",
        StoredRuleset.class);
  }

  private List<Ruleset> list(String where, Object... bindings) {
    return store.list(SELECT_SUMMARIES + where, Ruleset.class, bindings);
  }

  /**
   * Creates a ruleset.
   *
   * @param kind its kind
   * @param phase its phase
   * @param draft the rest
   * @return its first version
   */
  public Ruleset create(String kind, String phase, RulesetDraft draft) {
    if (kind.equals(ZONE) && entryPointIfAny(phase) != null) {
      throw RefusedException.wrong(
          20217,
          "'zone' is not a valid value for kind because exceeded maximum number of zone rulesets"
              + " for phase "
              + phase,
          "/kind");
    }
    List<ObjectNode> rules = rules(draft, phase, Map.of());
    checkRules(kind, phase, rules);
    String name = draft.name();
    if (name == null) {
      throw RefusedException.invalidJson("missing field \"name\"", "/name");
    }
    Ruleset unwritten = unwritten(phase, kind, name);
    return save(unwritten, Objects.requireNonNullElse(draft.description(), ""), text(rules));
  }

  /** {@return a ruleset before its first version} */
  private Ruleset unwritten(String phase, String kind, String name) {
    return new Ruleset(store.newId(), name, "", kind, 0, "", phase, true, "[]");
  }

  /**
   * Changes a ruleset.
   *
   * @param id its id
   * @param draft what it becomes
   * @return the new version
   */
  public Ruleset update(String id, RulesetDraft draft) {
    Ruleset old = find(id);
    String name = draft.name();
    if (name != null && !name.isEmpty() && !name.equals(old.name())) {
      throw RefusedException.invalidJson("the name of a ruleset never changes", "/name");
    }
    String rules = old.rules();
    if (draft.rules() != null) {
      List<ObjectNode> given = rules(draft, old.phase(), byId(old));
      checkRules(old.kind(), old.phase(), given);
      rules = text(given);
    }
    return save(old, Objects.requireNonNullElse(draft.description(), old.description()), rules);
  }

  /**
   * Deletes a ruleset with all its versions.
   *
   * @param id its id
   */
  public void delete(String id) {
    find(id);
    store.exec("DELETE FROM ruleset WHERE id = ?", id);
  }

  /**
   * Adds a rule.
   *
   * @param id the id of the ruleset
   * @param given the rule
   * @return the new version
   */
  public Ruleset addRule(String id, Fields given) {
    Ruleset old = find(id);
    ObjectNode rule = reader.read(withoutPosition(given), old.phase(), Map.of());
    return changed(old, RulePosition.place(byId(old).values(), rule, given));
  }

  private static Fields withoutPosition(Fields fields) {
    ObjectNode rule = fields.tree().deepCopy();
    rule.remove(RulePosition.FIELD);
    return new Fields(rule, fields.pointer());
  }

  /**
   * Changes members of a rule, or its position.
   *
   * @param id the id of the ruleset
   * @param ruleId the id of the rule
   * @param given the members that change
   * @return the new version
   */
  public Ruleset updateRule(String id, String ruleId, Fields given) {
    Ruleset old = find(id);
    Map<String, ObjectNode> byId = byId(old);
    ObjectNode merged = ruleOf(byId, ruleId).deepCopy();
    merged.remove(List.of("last_updated", "version"));
    merged.setAll(withoutPosition(given).tree()).put("id", ruleId);
    ObjectNode rule = reader.read(new Fields(merged, ""), old.phase(), byId);
    return changed(old, RulePosition.place(byId.values(), rule, given));
  }

  /**
   * {@return a rule}
   *
   * @param id the id of the ruleset
   * @param ruleId the id of the rule
   */
  public ObjectNode rule(String id, String ruleId) {
    return ruleOf(byId(find(id)), ruleId);
  }

  /**
   * Deletes a rule.
   *
   * @param id the id of the ruleset
   * @param ruleId the id of the rule
   * @return the new version
   */
  public Ruleset deleteRule(String id, String ruleId) {
    Ruleset old = find(id);
    Map<String, ObjectNode> byId = byId(old);
    ruleOf(byId, ruleId);
    byId.remove(ruleId);
    // The guard is not called: removing rules never exceeds a limit.
    return save(old, old.description(), text(byId.values()));
  }

  /**
   * Checks the rules of an entry point.
   *
   * @param phase the phase
   * @param draft has the rules
   */
  public void checkEntryPoint(String phase, RulesetDraft draft) {
    Ruleset known = entryPointIfAny(phase);
    rules(draft, phase, known == null ? Map.of() : byId(known));
  }

  /**
   * Changes the entry point of a phase; creates it if there is none.
   *
   * @param phase the phase
   * @param draft what it becomes
   * @param next the next state of the migration; null if it stays
   * @return the new version
   */
  public Ruleset updateEntryPoint(String phase, RulesetDraft draft, @Nullable MigrationState next) {
    Ruleset known = entryPointIfAny(phase);
    // The name of a ruleset never changes, and the client does not choose that of a migration.
    String name = draft.name() == null || draft.name().isEmpty() ? "default" : draft.name();
    Ruleset old = known == null ? unwritten(phase, ZONE, name) : known;
    Map<String, ObjectNode> byId = byId(old);
    List<ObjectNode> rules =
        draft.rules() == null ? List.copyOf(byId.values()) : rules(draft, phase, byId);
    migration.beforeUpdate(phase, rules, next, draft.rules() != null);
    return save(
        old, Objects.requireNonNullElse(draft.description(), old.description()), text(rules));
  }

  /**
   * {@return the kept versions of the entry point of a phase; none if there is no entry point}
   *
   * @param phase the phase
   */
  public List<Ruleset> entryPointVersions(String phase) {
    Ruleset latest = entryPointIfAny(phase);
    return latest == null ? List.of() : versions(latest.id());
  }

  /**
   * {@return the kept versions of a ruleset}
   *
   * @param id its id
   */
  public List<Ruleset> versions(String id) {
    return list(" WHERE id = ? ORDER BY version", find(id).id());
  }

  /**
   * Deletes a version that is not the latest one.
   *
   * @param id the id of the ruleset
   * @param version the version
   */
  public void deleteVersion(String id, String version) {
    Ruleset latest = find(id);
    Ruleset deleted = version(id, version);
    if (deleted.version() == latest.version()) {
      throw new RefusedException(new RefusalDetail(20214, "the latest version cannot be deleted"));
    }
    store.exec("DELETE FROM ruleset WHERE id = ? AND version = ?", id, deleted.version());
  }

  private Ruleset changed(Ruleset old, List<ObjectNode> rules) {
    if (rules.size() > FirewallBounds.RULES_MAX) {
      throw tooManyRules(old.phase(), rules.size());
    }
    checkRules(old.kind(), old.phase(), rules);
    return save(old, old.description(), text(rules));
  }

  private void checkRules(String kind, String phase, List<ObjectNode> rules) {
    if (kind.equals(ZONE)) {
      migration.beforeWrite(phase, rules);
    }
  }

  private List<ObjectNode> rules(RulesetDraft draft, String phase, Map<String, ObjectNode> old) {
    List<ObjectNode> rules = new ArrayList<>();
    Set<String> ids = new HashSet<>();
    List<Fields> given =
        draft.rules() == null ? List.of() : Fields.listOf(Json.readBody(draft.rules()), RULES);
    if (given.size() > FirewallBounds.RULES_MAX) {
      throw tooManyRules(phase, given.size());
    }
    for (Fields rule : given) {
      ObjectNode read = reader.read(rule, phase, old);
      if (!ids.add(read.get("id").stringValue())) {
        throw RefusedException.invalidJson("the id of another rule", rule.at("id"));
      }
      rules.add(read);
    }
    return rules;
  }

  private static RefusedException tooManyRules(String phase, int count) {
    return RefusedException.wrong(
        20111,
        "exceeded the maximum number of rules in the phase %s: %d out of %d"
            .formatted(phase, count, FirewallBounds.RULES_MAX),
        RULES);
  }

  /** Writes the next version. */
  private Ruleset save(Ruleset old, String description, String rules) {
    if (rules.length() > FirewallBounds.RULES_LENGTH_MAX) {
      throw RefusedException.invalidJson(
          "the rules of a ruleset are at most " + FirewallBounds.RULES_LENGTH_MAX + " characters",
          RULES);
    }
    Ruleset made = old.next(description, rules, store.now().toString());
    store.exec("UPDATE ruleset SET latest = 0 WHERE id = ? AND latest = 1", made.id());
    store.exec(
        "DELETE FROM ruleset WHERE id = ? AND version <= ?",
        made.id(),
        made.version() - FirewallBounds.RULESET_VERSIONS_MAX);
    store.put("ruleset", "id, version", made);
    return made;
  }

  private static Map<String, ObjectNode> byId(Ruleset ruleset) {
    Map<String, ObjectNode> byId = new LinkedHashMap<>();
    Json.read(ruleset.rules())
        .forEach(rule -> byId.put(rule.get("id").stringValue(), (ObjectNode) rule));
    return byId;
  }

  private static String text(Collection<ObjectNode> rules) {
    return Json.write(Json.array(rules.stream()));
  }

  /**
   * {@return the latest version of a ruleset}
   *
   * @param id its id
   */
  public Ruleset find(String id) {
    return store.get(
        "could not find ruleset",
        "SELECT * FROM ruleset WHERE id = ? AND latest = 1",
        Ruleset.class,
        id);
  }

  /**
   * {@return the latest version of the entry point of a phase}
   *
   * @param phase the phase
   */
  public Ruleset entryPoint(String phase) {
    Ruleset ruleset = entryPointIfAny(phase);
    if (ruleset == null) {
      throw RefusedException.notFound(
          10003, "could not find entrypoint ruleset in the " + phase + " phase");
    }
    return ruleset;
  }

  private @Nullable Ruleset entryPointIfAny(String phase) {
    return store.find(
        "SELECT * FROM ruleset WHERE phase = ? AND kind = 'zone' AND latest = 1",
        Ruleset.class,
        phase);
  }

  /**
   * {@return a version of a ruleset}
   *
   * @param id its id
   * @param version the version
   */
  public Ruleset version(String id, String version) {
    return store.get(
        "could not find version " + version + " of the ruleset",
        "SELECT * FROM ruleset WHERE id = ? AND version = ?",
        Ruleset.class,
        id,
        version.matches("[0-9]{1,9}") ? Long.parseLong(version) : 0);
  }

  private static ObjectNode ruleOf(Map<String, ObjectNode> byId, String id) {
    ObjectNode rule = byId.get(id);
    if (rule == null) {
      throw RefusedException.notFound("could not find rule " + id + " in the ruleset");
    }
    return rule;
  }
}
