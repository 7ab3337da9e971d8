package dev.holdfast.http.internal.migration;

import static java.util.Map.entry;
import static java.util.stream.Collectors.groupingBy;

import dev.holdfast.http.internal.HttpBounds;
import dev.holdfast.http.internal.call.Call;
import dev.holdfast.http.internal.error.ApiException;
import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.internal.store.Selection;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.ZoneReply;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The APIs of the previous managed rules, over the zone's legacy document. */
final class LegacyWaf {

  private static final String CORE_PACKAGE = "c504870194831cd12c3fc0284f294abb";
  private static final String MANAGED_PACKAGE = "1e334934fd7ae32ad705667f8c1057aa";

  /** The filter words of the list of rules, and the modes that they stand for. */
  private static final Map<String, String> MODE_WORDS =
      Map.of("DIS", "disable", "CHL", "challenge", "BLK", "block", "SIM", "simulate");

  private final ZoneStore store;
  private final LegacyDocument document;

  LegacyWaf(ZoneStore store, LegacyDocument document) {
    this.store = store;
    this.document = document;
  }

  Map<String, Function<Call, ZoneReply>> operations() {
    return Map.ofEntries(
        entry("list_waf_packages", this::listPackages),
        entry("get_waf_package", call -> Envelope.ok(shownPackage(call.id()))),
        entry("update_waf_package", this::updatePackage),
        entry("list_waf_groups", this::listGroups),
        entry("get_waf_group", call -> Envelope.ok(shownItem(call, "groups"))),
        entry("update_waf_group", call -> updateMode(call, "groups")),
        entry("list_waf_rules", this::listRules),
        entry("get_waf_rule", call -> Envelope.ok(shownItem(call, "rules"))),
        entry("update_waf_rule", call -> updateMode(call, "rules")),
        entry("list_waf_overrides", this::listOverrides),
        entry("create_waf_override", this::createOverride),
        entry("get_waf_override", this::getOverride),
        entry("update_waf_override", this::updateOverride),
        entry("delete_waf_override", this::deleteOverride));
  }

  private ZoneReply listPackages(Call call) {
    ArrayNode items = Json.array();
    items.add(shownPackage(MANAGED_PACKAGE)).add(shownPackage(CORE_PACKAGE));
    return LegacyList.answer(
        store, call.query(), LegacyList.of(items), List.of("name"), item -> item);
  }

  private ObjectNode shownPackage(String id) {
    ObjectNode part = part(document.copy(), id);
    boolean core = id.equals(CORE_PACKAGE);
    ObjectNode shown =
        Json.object()
            .put("id", id)
            .put("name", core ? "OWASP ModSecurity Core Rule Set" : "Managed rules")
            .put("description", core ? "Scores of anomalies" : "Rules of known attacks")
            .put("zone_id", store.profile().id())
            .put("detection_mode", core ? "anomaly" : "traditional")
            .put("status", "active");
    if (core) {
      shown.set("sensitivity", part.get("sensitivity"));
      shown.set("action_mode", part.get("action_mode"));
    }
    return shown;
  }

  private ZoneReply updatePackage(Call call) {
    ObjectNode changed = document.copy();
    ObjectNode part = part(changed, call.id());
    if (!call.id().equals(CORE_PACKAGE)) {
      throw ApiException.invalidJson("only the core rule set has a sensitivity", "/sensitivity");
    }
    part.setAll(call.fields().tree().deepCopy().retain("sensitivity", "action_mode").removeNulls());
    document.save(changed);
    return Envelope.ok(shownPackage(call.id()));
  }

  private ZoneReply listGroups(Call call) {
    call.query().number("rules_count", 0, Integer.MAX_VALUE, 0);
    return list(call, "groups", List.of("name", "mode", "rules_count"), null);
  }

  private ZoneReply listRules(Call call) {
    String word = call.query().text("mode");
    String mode = word == null ? null : MODE_WORDS.get(word);
    if (word != null && mode == null) {
      throw ApiException.badParameter("mode", "DIS, CHL, BLK or SIM");
    }
    return list(call, "rules", List.of("description", "priority", "group_id"), mode);
  }

  private ZoneReply list(Call call, String kind, List<String> fields, @Nullable String mode) {
    ObjectNode part = counted(call.id());
    Selection wanted = LegacyList.of(part.withArray(kind));
    wanted.andIf("value ->> '$.mode' = ?", mode);
    return LegacyList.answer(
        store, call.query(), wanted, fields, item -> shown(item, call.id(), kind, part));
  }

  /** {@return a package whose groups have the numbers of their rules} */
  private ObjectNode counted(String id) {
    ObjectNode part = part(document.copy(), id);
    Map<String, List<JsonNode>> byGroup =
        part.withArray("rules")
            .valueStream()
            .collect(groupingBy(rule -> rule.path("group_id").asString("")));
    for (JsonNode group : part.withArray("groups")) {
      List<JsonNode> rules = byGroup.getOrDefault(group.get("id").stringValue(), List.of());
      long usual =
          rules.stream().filter(rule -> rule.at("/mode").asString().equals("default")).count();
      ((ObjectNode) group)
          .put("rules_count", rules.size())
          .put("modified_rules_count", rules.size() - usual);
    }
    return part;
  }

  private ObjectNode shownItem(Call call, String kind) {
    ObjectNode part = counted(call.id());
    return shown(item(part, kind, call.id(1)), call.id(), kind, part);
  }

  private static ObjectNode shown(ObjectNode item, String packageId, String kind, ObjectNode part) {
    ObjectNode shown = item.deepCopy().put("package_id", packageId);
    if (!shown.path("description").isString()) {
      shown.put("description", "");
    }
    if (kind.equals("rules")) {
      describeRule(shown, packageId, part);
    }
    ArrayNode modes = shown.putArray("allowed_modes");
    modes(kind, packageId).stream().sorted().forEach(modes::add);
    return shown;
  }

  /** Adds the members of a rule that clients read and the document lacks. */
  private static void describeRule(ObjectNode shown, String packageId, ObjectNode part) {
    String groupId = shown.path("group_id").asString("");
    shown.remove("group_id");
    ObjectNode group = find(part, "groups", groupId);
    String name = group == null ? "" : group.get("name").stringValue();
    shown.putObject("group").put("id", groupId).put("name", name);
    shown.put("priority", shown.path("priority").asString("0"));
    if (!shown.path("default_mode").isString()) {
      shown.put("default_mode", packageId.equals(CORE_PACKAGE) ? "on" : "block");
    }
  }

  /** An imported override may lack members of a created one. */
  private static ObjectNode shownOverride(ObjectNode item) {
    ObjectNode shown = Json.object().put("description", "").put("priority", 0).put("paused", false);
    List.of("groups", "rules", "rewrite_action").forEach(shown::putObject);
    shown.setAll(item);
    return shown;
  }

  private static Set<String> modes(String kind, String packageId) {
    boolean switched = kind.equals("groups") || packageId.equals(CORE_PACKAGE);
    return switched ? LegacyDocument.SWITCH : LegacyDocument.RULE_MODES;
  }

  private ZoneReply updateMode(Call call, String kind) {
    ObjectNode changed = document.copy();
    ObjectNode part = part(changed, call.id());
    ObjectNode item = item(part, kind, call.id(1));
    String mode = call.fields().text("mode");
    if (!modes(kind, call.id()).contains(mode)) {
      throw ApiException.invalidJson("unknown variant for mode: " + mode, "/mode");
    }
    item.put("mode", mode);
    document.save(changed);
    return Envelope.ok(shownItem(call, kind));
  }

  private ZoneReply listOverrides(Call call) {
    return LegacyList.answer(
        store,
        call.query(),
        LegacyList.of(document.copy().withArray("overrides")),
        List.of(),
        LegacyWaf::shownOverride);
  }

  private ZoneReply createOverride(Call call) {
    ObjectNode changed = document.copy();
    ObjectNode override = readOverride(call.fields(), store.newId());
    ArrayNode overrides = changed.withArray("overrides");
    if (overrides.size() >= HttpBounds.LEGACY_ITEMS_MAX) {
      throw ApiException.invalidJson(
          "a zone has at most " + HttpBounds.LEGACY_ITEMS_MAX + " overrides", "");
    }
    overrides.add(override);
    document.save(changed);
    return Envelope.ok(override);
  }

  private ZoneReply getOverride(Call call) {
    return Envelope.ok(shownOverride(item(document.copy(), "overrides", call.id())));
  }

  private ZoneReply updateOverride(Call call) {
    ObjectNode changed = document.copy();
    ObjectNode old = item(changed, "overrides", call.id());
    old.removeAll().setAll(readOverride(call.fields(), call.id()));
    document.save(changed);
    return Envelope.ok(old);
  }

  private ZoneReply deleteOverride(Call call) {
    ObjectNode changed = document.copy();
    ObjectNode old = item(changed, "overrides", call.id());
    changed.withArray("overrides").removeIf(item -> item.get("id").equals(old.get("id")));
    document.save(changed);
    return Envelope.ok(Json.object().put("id", call.id()));
  }

  private static ObjectNode readOverride(Fields fields, String id) {
    ObjectNode given = fields.tree().deepCopy().removeNulls();
    return shownOverride(
        given.without(List.of("zone_id", "account_id", "package_id")).put("id", id));
  }

  private static ObjectNode part(ObjectNode document, String id) {
    String name =
        switch (id) {
          case CORE_PACKAGE -> "owasp";
          case MANAGED_PACKAGE -> "managed";
          default -> throw ApiException.notFound("could not find package " + id);
        };
    return (ObjectNode) document.get("packages").get(name);
  }

  private static ObjectNode item(ObjectNode of, String kind, String id) {
    ObjectNode item = find(of, kind, id);
    if (item == null) {
      throw ApiException.notFound("could not find " + id + " in " + kind);
    }
    return item;
  }

  private static @Nullable ObjectNode find(ObjectNode of, String kind, String id) {
    return (ObjectNode)
        of.withArray(kind)
            .valueStream()
            .filter(item -> item.get("id").stringValue().equals(id))
            .findFirst()
            .orElse(null);
  }
}
