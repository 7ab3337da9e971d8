package dev.holdfast.http.internal.migration;

import static java.util.stream.Collectors.groupingBy;

import dev.holdfast.http.firewall.object.PreviousRules.Part;
import dev.holdfast.http.firewall.object.PreviousSearch;
import dev.holdfast.http.internal.firewall.FirewallBounds;
import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.store.Selection;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.Found;
import dev.holdfast.http.object.PageRange;
import dev.holdfast.http.object.RefusedException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The previous managed rules of a zone, over its legacy document. Owned by the zone's turn. */
public final class LegacyWaf {

  private static final String CORE_PACKAGE = "c504870194831cd12c3fc0284f294abb";
  private static final String MANAGED_PACKAGE = "1e334934fd7ae32ad705667f8c1057aa";
  private static final String OVERRIDES = "overrides";

  private final ZoneStore store;
  private final LegacyDocument document;

  LegacyWaf(ZoneStore store, LegacyDocument document) {
    this.store = store;
    this.document = document;
  }

  /**
   * {@return the wanted packages}
   *
   * @param wanted the wanted ones
   * @param page the page
   */
  public Found<String> packages(PreviousSearch wanted, PageRange page) {
    ArrayNode items = Json.array();
    items.add(shownPackage(MANAGED_PACKAGE)).add(shownPackage(CORE_PACKAGE));
    return LegacyList.find(
        store, LegacyList.of(items), wanted, List.of("name"), page, item -> item);
  }

  /**
   * {@return a package}
   *
   * @param id its id
   */
  public ObjectNode shownPackage(String id) {
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

  /**
   * Changes a package.
   *
   * @param id its id
   * @param changes the members that change
   * @return the package
   */
  public ObjectNode updatePackage(String id, ObjectNode changes) {
    ObjectNode changed = document.copy();
    ObjectNode part = part(changed, id);
    if (!id.equals(CORE_PACKAGE)) {
      throw RefusedException.invalidJson(
          "only the core rule set has a sensitivity", "/sensitivity");
    }
    part.setAll(changes);
    document.save(changed);
    return shownPackage(id);
  }

  /**
   * {@return the wanted items of a package}
   *
   * @param packageId the id of the package
   * @param of the list
   * @param search the wanted ones
   * @param page the page
   */
  public Found<String> list(String packageId, Part of, PreviousSearch search, PageRange page) {
    String kind = kind(of);
    ObjectNode part = counted(packageId);
    Selection wanted = LegacyList.of(part.withArray(kind));
    wanted.andIf("value ->> '$.mode' = ?", search.mode());
    return LegacyList.find(
        store, wanted, search, of.members(), page, item -> shown(item, packageId, kind, part));
  }

  private static String kind(Part part) {
    return part == Part.GROUPS ? "groups" : "rules";
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

  /**
   * {@return an item of a package}
   *
   * @param packageId the id of the package
   * @param of the list
   * @param id the id of the item
   */
  public ObjectNode shownItem(String packageId, Part of, String id) {
    ObjectNode part = counted(packageId);
    return shown(item(part, kind(of), id), packageId, kind(of), part);
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

  /**
   * Changes the mode of an item.
   *
   * @param packageId the id of the package
   * @param of the list
   * @param id the id of the item
   * @param mode the mode
   * @return the item
   */
  public ObjectNode updateMode(String packageId, Part of, String id, String mode) {
    ObjectNode changed = document.copy();
    ObjectNode part = part(changed, packageId);
    ObjectNode item = item(part, kind(of), id);
    if (!modes(kind(of), packageId).contains(mode)) {
      throw RefusedException.invalidJson("unknown variant for mode: " + mode, "/mode");
    }
    item.put("mode", mode);
    document.save(changed);
    return shownItem(packageId, of, id);
  }

  /**
   * {@return the overrides}
   *
   * @param wanted their order
   * @param page the page
   */
  public Found<String> overrides(PreviousSearch wanted, PageRange page) {
    return LegacyList.find(
        store,
        LegacyList.of(document.copy().withArray(OVERRIDES)),
        wanted,
        List.of(),
        page,
        LegacyWaf::shownOverride);
  }

  /**
   * Adds an override.
   *
   * @param given the override
   * @return the override with its id
   */
  public ObjectNode createOverride(Fields given) {
    ObjectNode changed = document.copy();
    ObjectNode override = readOverride(given, store.newId());
    ArrayNode overrides = changed.withArray(OVERRIDES);
    if (overrides.size() >= FirewallBounds.LEGACY_ITEMS_MAX) {
      throw RefusedException.invalidJson(
          "a zone has at most " + FirewallBounds.LEGACY_ITEMS_MAX + " overrides", "");
    }
    overrides.add(override);
    document.save(changed);
    return override;
  }

  /**
   * {@return an override}
   *
   * @param id its id
   */
  public ObjectNode override(String id) {
    return shownOverride(item(document.copy(), OVERRIDES, id));
  }

  /**
   * Replaces an override.
   *
   * @param id its id
   * @param given the new one
   * @return the new one
   */
  public ObjectNode updateOverride(String id, Fields given) {
    ObjectNode changed = document.copy();
    ObjectNode old = item(changed, OVERRIDES, id);
    old.removeAll().setAll(readOverride(given, id));
    document.save(changed);
    return old;
  }

  /**
   * Deletes an override.
   *
   * @param id its id
   */
  public void deleteOverride(String id) {
    ObjectNode changed = document.copy();
    ObjectNode old = item(changed, OVERRIDES, id);
    changed.withArray(OVERRIDES).removeIf(item -> item.get("id").equals(old.get("id")));
    document.save(changed);
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
          default -> throw RefusedException.notFound("could not find package " + id);
        };
    return (ObjectNode) document.get("packages").get(name);
  }

  private static ObjectNode item(ObjectNode of, String kind, String id) {
    ObjectNode item = find(of, kind, id);
    if (item == null) {
      throw RefusedException.notFound("could not find " + id + " in " + kind);
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
