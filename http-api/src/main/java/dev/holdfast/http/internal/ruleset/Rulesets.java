package dev.holdfast.http.internal.ruleset;

import dev.holdfast.http.internal.HttpBounds;
import dev.holdfast.http.internal.call.Call;
import dev.holdfast.http.internal.endpoint.OpenApi;
import dev.holdfast.http.internal.error.ApiException;
import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.migration.RuleMigration;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.internal.store.Expressions;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.ZoneFirewall.StoredRuleset;
import dev.holdfast.http.object.ZoneReply;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The rulesets of a zone. Owned by the zone's turn. */
public final class Rulesets {

  /** For lists, which show no rules: rules are most of a zone's data. */
  private static final String SELECT_SUMMARIES =
      "SELECT id, version, latest, kind, phase, name, description, last_updated, '[]' AS rules"
          + " FROM ruleset";

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

  /**
   * Adds the operations of this class.
   *
   * @param operations by endpoint
   */
  public void addTo(Map<String, Function<Call, ZoneReply>> operations) {
    operations.put("list_rulesets", call -> list(" WHERE latest ORDER BY name, id"));
    operations.put("create_ruleset", this::create);
    operations.put("get_ruleset", call -> Envelope.ok(find(call.id()).toJson()));
    operations.put("update_ruleset", this::update);
    operations.put("delete_ruleset", this::delete);
    operations.put("add_ruleset_rule", this::addRule);
    operations.put("update_ruleset_rule", this::updateRule);
    operations.put("delete_ruleset_rule", this::deleteRule);
    operations.put("list_ruleset_versions", call -> versions(find(call.id()).id()));
    operations.put(
        "get_ruleset_version",
        call -> Envelope.ok(version(find(call.id()).id(), call.id(1)).toJson()));
    operations.put("delete_ruleset_version", this::deleteVersion);
    operations.put("get_entry_point", call -> Envelope.ok(entryPoint(phase(call)).toJson()));
    operations.put("update_entry_point", this::updateEntryPoint);
    operations.put("list_entry_point_versions", this::entryPointVersions);
    operations.put(
        "get_entry_point_version",
        call -> Envelope.ok(version(entryPoint(phase(call)).id(), call.id(1)).toJson()));
  }

  /** {@return the latest versions, for the decisions on requests} */
  public List<StoredRuleset> latest() {
    return store.list(
        "SELECT *, kind = 'zone' AS is_entry_point FROM ruleset WHERE latest ORDER BY id",
        StoredRuleset.class);
  }

  private ZoneReply list(String where, Object... bindings) {
    return Envelope.ok(
        store.list(SELECT_SUMMARIES + where, Ruleset.class, bindings).stream()
            .map(Ruleset::summary));
  }

  private ZoneReply create(Call call) {
    Fields fields = call.fields();
    String phase = fields.text("phase");
    String kind = fields.text("kind");
    if (kind.equals("zone") && entryPointIfAny(phase) != null) {
      throw ApiException.wrong(
          20217,
          "'zone' is not a valid value for kind because exceeded maximum number of zone rulesets"
              + " for phase "
              + phase,
          "/kind");
    }
    List<ObjectNode> rules = rules(fields, phase, Map.of());
    checkRules(kind, phase, rules);
    Ruleset unwritten = unwritten(phase, kind, fields.text("name"));
    return save(unwritten, fields.text("description", ""), Ruleset.text(rules));
  }

  /** {@return a ruleset before its first version} */
  private Ruleset unwritten(String phase, String kind, String name) {
    return new Ruleset(store.newId(), name, "", kind, 0, "", phase, true, "[]");
  }

  private ZoneReply update(Call call) {
    Ruleset old = find(call.id());
    Fields fields = call.fields();
    String name = fields.optionalText("name");
    if (name != null && !name.isEmpty() && !name.equals(old.name())) {
      throw ApiException.invalidJson("the name of a ruleset never changes", fields.at("name"));
    }
    String rules = old.rules();
    if (fields.has("rules")) {
      List<ObjectNode> given = rules(fields, old.phase(), old.rulesById());
      checkRules(old.kind(), old.phase(), given);
      rules = Ruleset.text(given);
    }
    return save(old, fields.text("description", old.description()), rules);
  }

  private ZoneReply delete(Call call) {
    find(call.id());
    store.exec("DELETE FROM ruleset WHERE id = ?", call.id());
    return ZoneReply.noContent();
  }

  private ZoneReply addRule(Call call) {
    Ruleset old = find(call.id());
    Fields fields = call.fields();
    ObjectNode rule = reader.read(withoutPosition(fields), old.phase(), Map.of());
    return changed(old, RulePosition.place(old.rulesById().values(), rule, fields));
  }

  private static Fields withoutPosition(Fields fields) {
    ObjectNode rule = fields.tree().deepCopy();
    rule.remove(RulePosition.FIELD);
    return new Fields(rule, fields.pointer());
  }

  private ZoneReply updateRule(Call call) {
    Ruleset old = find(call.id());
    Map<String, ObjectNode> byId = old.rulesById();
    ObjectNode merged = ruleOf(byId, call.id(1)).deepCopy();
    merged.remove(List.of("last_updated", "version"));
    Fields fields = call.fields();
    merged.setAll(withoutPosition(fields).tree()).put("id", call.id(1));
    ObjectNode rule = reader.read(new Fields(merged, ""), old.phase(), byId);
    return changed(old, RulePosition.place(byId.values(), rule, fields));
  }

  private ZoneReply deleteRule(Call call) {
    Ruleset old = find(call.id());
    Map<String, ObjectNode> byId = old.rulesById();
    ruleOf(byId, call.id(1));
    byId.remove(call.id(1));
    // The guard is not called: removing rules never exceeds a limit.
    return save(old, old.description(), Ruleset.text(byId.values()));
  }

  private ZoneReply updateEntryPoint(Call call) {
    String phase = phase(call);
    Fields fields = call.fields();
    Ruleset known = entryPointIfAny(phase);
    // The name of a ruleset never changes, and the client does not choose that of a migration.
    String name = fields.text("name", "");
    Ruleset old =
        known == null ? unwritten(phase, "zone", name.isEmpty() ? "default" : name) : known;
    List<ObjectNode> rules = rules(fields, phase, old.rulesById());
    migration.beforeUpdate(call, phase, rules);
    return save(old, fields.text("description", old.description()), Ruleset.text(rules));
  }

  private ZoneReply entryPointVersions(Call call) {
    Ruleset latest = entryPointIfAny(phase(call));
    return latest == null ? Envelope.ok(Json.array()) : versions(latest.id());
  }

  private ZoneReply versions(String id) {
    return list(" WHERE id = ? ORDER BY version", id);
  }

  private ZoneReply deleteVersion(Call call) {
    Ruleset latest = find(call.id());
    Ruleset version = version(call.id(), call.id(1));
    if (version.version() == latest.version()) {
      throw new ApiException(400, 20214, "the latest version cannot be deleted");
    }
    store.exec("DELETE FROM ruleset WHERE id = ? AND version = ?", version.id(), version.version());
    return ZoneReply.noContent();
  }

  private ZoneReply changed(Ruleset old, List<ObjectNode> rules) {
    if (rules.size() > HttpBounds.RULES_MAX) {
      throw tooManyRules(old.phase(), rules.size());
    }
    checkRules(old.kind(), old.phase(), rules);
    return save(old, old.description(), Ruleset.text(rules));
  }

  private void checkRules(String kind, String phase, List<ObjectNode> rules) {
    if (kind.equals("zone")) {
      migration.beforeWrite(phase, rules);
    }
  }

  private List<ObjectNode> rules(Fields fields, String phase, Map<String, ObjectNode> old) {
    List<ObjectNode> rules = new ArrayList<>();
    Set<String> ids = new HashSet<>();
    List<Fields> given = fields.objects("rules");
    if (given.size() > HttpBounds.RULES_MAX) {
      throw tooManyRules(phase, given.size());
    }
    for (Fields rule : given) {
      ObjectNode read = reader.read(rule, phase, old);
      if (!ids.add(read.get("id").stringValue())) {
        throw ApiException.invalidJson("the id of another rule", rule.at("id"));
      }
      rules.add(read);
    }
    return rules;
  }

  private static ApiException tooManyRules(String phase, int count) {
    return ApiException.wrong(
        20111,
        "exceeded the maximum number of rules in the phase %s: %d out of %d"
            .formatted(phase, count, HttpBounds.RULES_MAX),
        "/rules");
  }

  /** Writes the next version. */
  private ZoneReply save(Ruleset old, String description, String rules) {
    if (rules.length() > HttpBounds.RULES_LENGTH_MAX) {
      throw ApiException.invalidJson(
          "the rules of a ruleset are at most " + HttpBounds.RULES_LENGTH_MAX + " characters",
          "/rules");
    }
    Ruleset made = old.next(description, rules, store.now().toString());
    store.exec("UPDATE ruleset SET latest = 0 WHERE id = ? AND latest = 1", made.id());
    store.exec(
        "DELETE FROM ruleset WHERE id = ? AND version <= ?",
        made.id(),
        made.version() - HttpBounds.RULESET_VERSIONS_MAX);
    store.put("ruleset", "id, version", made);
    return Envelope.ok(made.toJson());
  }

  private static String phase(Call call) {
    boolean isKnown =
        OpenApi.part("#/components/schemas/RulesetBody/properties/phase/enum")
            .valueStream()
            .anyMatch(phase -> phase.isString() && phase.stringValue().equals(call.id()));
    if (!isKnown) {
      throw ApiException.notFound("unknown phase " + call.id());
    }
    return call.id();
  }

  private Ruleset find(String id) {
    return store.get(
        "could not find ruleset",
        "SELECT * FROM ruleset WHERE id = ? AND latest = 1",
        Ruleset.class,
        id);
  }

  private Ruleset entryPoint(String phase) {
    Ruleset ruleset = entryPointIfAny(phase);
    if (ruleset == null) {
      throw new ApiException(
          404, 10003, "could not find entrypoint ruleset in the " + phase + " phase");
    }
    return ruleset;
  }

  private @Nullable Ruleset entryPointIfAny(String phase) {
    return store.find(
        "SELECT * FROM ruleset WHERE phase = ? AND kind = 'zone' AND latest = 1",
        Ruleset.class,
        phase);
  }

  private Ruleset version(String id, String version) {
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
      throw ApiException.notFound("could not find rule " + id + " in the ruleset");
    }
    return rule;
  }
}
