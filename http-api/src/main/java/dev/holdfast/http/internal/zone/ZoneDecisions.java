package dev.holdfast.http.internal.zone;

import dev.holdfast.http.firewall.Decision;
import dev.holdfast.http.internal.firewall.Firewall;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.migration.Migration;
import dev.holdfast.http.internal.ruleset.Rulesets;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.ZoneFirewall;
import dev.holdfast.http.object.ZoneFirewall.StoredRuleset;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/** What the zone decides with, and the version of it. Owned by the zone's turn. */
final class ZoneDecisions {

  private static final String PREVIOUS_ID = "0".repeat(32);

  private final ZoneStore store;
  private final Firewall firewall;
  private final Rulesets rulesets;
  private final Migration migration;

  ZoneDecisions(ZoneStore store, Firewall firewall, Rulesets rulesets, Migration migration) {
    this.store = store;
    this.firewall = firewall;
    this.rulesets = rulesets;
    this.migration = migration;
  }

  /** Records that the configuration changes, in the transaction of the change. */
  void change() {
    long version = version();
    store.exec("DELETE FROM configuration");
    store.exec("INSERT INTO configuration (version) VALUES (?)", version + 1);
  }

  private long version() {
    return store.count("SELECT coalesce(max(version), 0) AS n FROM configuration");
  }

  ZoneFirewall stored() {
    List<StoredRuleset> all = new ArrayList<>(rulesets.latest());
    List<ObjectNode> previous = migration.previousRules();
    if (!previous.isEmpty()) {
      String rules = Json.write(Json.array(previous.stream()));
      all.add(new StoredRuleset(PREVIOUS_ID, Decision.PREVIOUS_MANAGED_RULES, true, rules));
    }
    return new ZoneFirewall(store.profile().id(), version(), firewall.active(), all);
  }
}
