package dev.holdfast.http.internal.zone;

import static java.util.Map.entry;

import dev.holdfast.http.call.ZoneReply;
import dev.holdfast.http.firewall.object.MigrationState;
import dev.holdfast.http.firewall.object.MigrationStatus;
import dev.holdfast.http.firewall.object.PreviousRules;
import dev.holdfast.http.firewall.object.PreviousRules.Part;
import dev.holdfast.http.firewall.object.PreviousSearch;
import dev.holdfast.http.internal.call.Call;
import dev.holdfast.http.internal.call.Query;
import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.object.Found;
import dev.holdfast.http.object.PageRange;
import dev.holdfast.http.object.RefusedException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.NullNode;

/** The requests for the previous managed rules of a zone, and for its migration. */
record PreviousRequests(PreviousRules firewall) {

  /** The filter words of the list of rules, and the modes that they stand for. */
  private static final Map<String, String> MODE_WORDS =
      Map.of("DIS", "disable", "CHL", "challenge", "BLK", "block", "SIM", "simulate");

  void addTo(Map<String, Function<Call, ZoneReply>> operations) {
    operations.put("import_managed_rules", this::importDocument);
    operations.put("check_migration", this::check);
    operations.put("get_migrated_configuration", this::configuration);
    operations.put("get_migration_status", call -> status());
    previous()
        .forEach(
            (name, operation) ->
                operations.put(
                    name,
                    call -> {
                      // Rules that are gone are said to be gone, whatever is asked of them.
                      firewall.requirePreviousRules();
                      return operation.apply(call);
                    }));
  }

  private Map<String, Function<Call, ZoneReply>> previous() {
    return Map.ofEntries(
        entry(
            "list_waf_packages",
            call -> list(firewall.previousPackages(search(call, List.of("name")), page(call)))),
        entry("get_waf_package", call -> ok(firewall.previousPackage(call.id()))),
        entry("update_waf_package", this::updatePackage),
        entry("list_waf_groups", this::listGroups),
        entry("get_waf_group", call -> item(call, Part.GROUPS)),
        entry("update_waf_group", call -> changeMode(call, Part.GROUPS)),
        entry("list_waf_rules", this::listRules),
        entry("get_waf_rule", call -> item(call, Part.RULES)),
        entry("update_waf_rule", call -> changeMode(call, Part.RULES)),
        entry(
            "list_waf_overrides",
            call -> list(firewall.previousOverrides(search(call, List.of()), page(call)))),
        entry("create_waf_override", call -> ok(firewall.addPreviousOverride(call.document()))),
        entry("get_waf_override", call -> ok(firewall.previousOverride(call.id()))),
        entry("update_waf_override", this::updateOverride),
        entry("delete_waf_override", this::deleteOverride));
  }

  private ZoneReply importDocument(Call call) {
    firewall.requireNoMigration();
    firewall.importPreviousRules(call.document());
    return Envelope.ok(NullNode.instance);
  }

  private ZoneReply check(Call call) {
    RulesetRequests.requirePhaseTwo(call.query());
    MigrationStatus status = firewall.migrationStatus();
    return Envelope.ok(
        Json.object()
            .put("compatible", status.isCompatible())
            .put("migration_state", status.state().word()));
  }

  private ZoneReply configuration(Call call) {
    RulesetRequests.requirePhaseTwo(call.query());
    return ok(firewall.migratedEntryPoint());
  }

  private ZoneReply status() {
    MigrationStatus status = firewall.migrationStatus();
    return Envelope.ok(
        Json.object()
            .put("old_managed_rules", word(status.isPreviousEnabled()))
            .put("new_managed_rules", word(status.state() != MigrationState.START))
            .put("migration_state", status.state().word()));
  }

  private static String word(boolean isEnabled) {
    return isEnabled ? "enabled" : "disabled";
  }

  private ZoneReply updatePackage(Call call) {
    // A package that has nothing to change is refused, whatever the body says.
    boolean canChange = Json.readObject(firewall.previousPackage(call.id())).has("sensitivity");
    Fields fields = canChange ? call.fields() : Fields.of(Json.object());
    return ok(
        firewall.updatePreviousPackage(
            call.id(), fields.optionalText("sensitivity"), fields.optionalText("action_mode")));
  }

  private ZoneReply item(Call call, Part part) {
    return ok(firewall.previousItem(call.id(), part, call.id(1)));
  }

  private ZoneReply changeMode(Call call, Part part) {
    firewall.previousItem(call.id(), part, call.id(1));
    String mode = call.fields().text("mode");
    return ok(firewall.changePreviousMode(call.id(), part, call.id(1), mode));
  }

  private ZoneReply updateOverride(Call call) {
    firewall.previousOverride(call.id());
    return ok(firewall.replacePreviousOverride(call.id(), call.document()));
  }

  private ZoneReply deleteOverride(Call call) {
    firewall.deletePreviousOverride(call.id());
    return Envelope.deleted(call.id());
  }

  private ZoneReply listGroups(Call call) {
    call.query().number("rules_count", 0, Integer.MAX_VALUE, 0);
    return listItems(call, Part.GROUPS, null);
  }

  private ZoneReply listRules(Call call) {
    String word = call.query().text("mode");
    String mode = word == null ? null : MODE_WORDS.get(word);
    if (word != null && mode == null) {
      throw RefusedException.badParameter("mode", "DIS, CHL, BLK or SIM");
    }
    return listItems(call, Part.RULES, mode);
  }

  private ZoneReply listItems(Call call, Part part, @Nullable String mode) {
    firewall.previousPackage(call.id());
    PreviousSearch wanted = search(call, part.members()).withMode(mode);
    return list(firewall.previousItems(call.id(), part, wanted, page(call)));
  }

  private static PreviousSearch search(Call call, List<String> fields) {
    Query query = call.query();
    boolean isAny = query.word("match", Set.of("all", "any"), "all").equals("any");
    Map<String, String> equal = new HashMap<>();
    for (String field : fields) {
      String value = query.text(field);
      if (value != null) {
        equal.put(field, value);
      }
    }
    String by = query.word("order", Set.copyOf(fields));
    boolean isDescending =
        by != null && query.word("direction", Set.of("asc", "desc"), "asc").equals("desc");
    return new PreviousSearch(equal, isAny, null, by, isDescending);
  }

  private static PageRange page(Call call) {
    return call.query().page(5, 50);
  }

  private static ZoneReply list(Found<String> found) {
    return Envelope.found(found, Json::readObject);
  }

  private static ZoneReply ok(String document) {
    return Envelope.ok(Json.read(document));
  }
}
