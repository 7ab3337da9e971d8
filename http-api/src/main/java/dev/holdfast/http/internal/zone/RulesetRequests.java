package dev.holdfast.http.internal.zone;

import dev.holdfast.http.call.ZoneReply;
import dev.holdfast.http.firewall.object.FirewallRulesets;
import dev.holdfast.http.firewall.object.MigrationState;
import dev.holdfast.http.firewall.object.Ruleset;
import dev.holdfast.http.firewall.object.RulesetDraft;
import dev.holdfast.http.internal.call.Call;
import dev.holdfast.http.internal.call.Query;
import dev.holdfast.http.internal.endpoint.OpenApi;
import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.object.RefusedException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The requests for rulesets of a zone. */
record RulesetRequests(FirewallRulesets firewall) {

  void addTo(Map<String, Function<Call, ZoneReply>> operations) {
    operations.put("list_rulesets", call -> list(firewall.rulesets()));
    operations.put("create_ruleset", this::create);
    operations.put("get_ruleset", call -> ok(firewall.ruleset(call.id())));
    operations.put(
        "update_ruleset",
        call -> {
          String id = firewall.ruleset(call.id()).id();
          return ok(firewall.updateRuleset(id, draft(call.fields())));
        });
    operations.put("delete_ruleset", call -> gone(call, each -> firewall.deleteRuleset(each.id())));
    operations.put(
        "add_ruleset_rule",
        call -> {
          String id = firewall.ruleset(call.id()).id();
          return ok(firewall.addRulesetRule(id, call.document()));
        });
    operations.put(
        "update_ruleset_rule",
        call -> {
          firewall.rulesetRule(call.id(), call.id(1));
          return ok(firewall.updateRulesetRule(call.id(), call.id(1), call.document()));
        });
    operations.put(
        "delete_ruleset_rule", call -> ok(firewall.deleteRulesetRule(call.id(), call.id(1))));
    operations.put("list_ruleset_versions", call -> list(firewall.rulesetVersions(call.id())));
    operations.put(
        "get_ruleset_version", call -> ok(firewall.rulesetVersion(call.id(), call.id(1))));
    operations.put(
        "delete_ruleset_version",
        call -> gone(call, each -> firewall.deleteRulesetVersion(each.id(), each.id(1))));
    operations.put("get_entry_point", call -> ok(firewall.entryPoint(phase(call))));
    operations.put(
        "update_entry_point",
        call -> {
          String phase = phase(call);
          RulesetDraft draft = draft(call.fields());
          return ok(firewall.updateEntryPoint(phase, draft, migration(call, phase, draft)));
        });
    operations.put(
        "list_entry_point_versions", call -> list(firewall.entryPointVersions(phase(call))));
    operations.put(
        "get_entry_point_version", call -> ok(firewall.entryPointVersion(phase(call), call.id(1))));
  }

  private ZoneReply create(Call call) {
    Fields fields = call.fields();
    String phase = fields.text("phase");
    return ok(firewall.createRuleset(fields.text("kind"), phase, draft(fields)));
  }

  private static RulesetDraft draft(Fields fields) {
    JsonNode rules = fields.present("rules");
    return new RulesetDraft(
        fields.optionalText("name"),
        fields.optionalText("description"),
        rules == null ? null : Json.write(rules));
  }

  private @Nullable MigrationState migration(Call call, String phase, RulesetDraft draft) {
    Query query = call.query();
    if (query.all("waf_migration").isEmpty()) {
      return null;
    }
    // A mistake in the rules is named before one in the parameters.
    firewall.checkEntryPoint(phase, draft);
    MigrationState next =
        switch (query.text("waf_migration")) {
          case "pending", "1" -> MigrationState.FINISHED;
          case "validation", "2" -> MigrationState.VALIDATION;
          case null, default ->
              throw RefusedException.badParameter("waf_migration", "pending, 1, validation or 2");
        };
    requirePhaseTwo(query);
    return next;
  }

  static void requirePhaseTwo(Query query) {
    if (!"1".equals(query.text("phase_two"))) {
      throw RefusedException.badParameter("phase_two", "1");
    }
  }

  private static String phase(Call call) {
    boolean isKnown =
        OpenApi.part("#/components/schemas/RulesetBody/properties/phase/enum")
            .valueStream()
            .anyMatch(phase -> phase.isString() && phase.stringValue().equals(call.id()));
    if (!isKnown) {
      throw RefusedException.notFound("unknown phase " + call.id());
    }
    return call.id();
  }

  private static ZoneReply gone(Call call, Consumer<Call> delete) {
    delete.accept(call);
    return ZoneReply.noContent();
  }

  private static ZoneReply list(List<Ruleset> rulesets) {
    return Envelope.ok(rulesets.stream().map(RulesetRequests::summary));
  }

  private static ZoneReply ok(Ruleset ruleset) {
    ObjectNode tree = summary(ruleset);
    tree.set("rules", Json.read(ruleset.rules()));
    return Envelope.ok(tree);
  }

  private static ObjectNode summary(Ruleset ruleset) {
    ObjectNode tree = Json.tree(ruleset).put("version", String.valueOf(ruleset.version()));
    return tree.remove(List.of("latest", "rules"));
  }
}
