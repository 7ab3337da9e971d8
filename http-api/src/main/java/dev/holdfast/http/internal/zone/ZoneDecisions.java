package dev.holdfast.http.internal.zone;

import dev.holdfast.http.firewall.Decision;
import dev.holdfast.http.firewall.FirewallAction;
import dev.holdfast.http.firewall.ManagedRuleset;
import dev.holdfast.http.firewall.MatchedRule;
import dev.holdfast.http.internal.call.Call;
import dev.holdfast.http.internal.call.DescribedRequest;
import dev.holdfast.http.internal.decision.CompiledZone;
import dev.holdfast.http.internal.firewall.Firewall;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.migration.Migration;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.internal.ruleset.Rulesets;
import dev.holdfast.http.internal.store.Expressions;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.ZoneFirewall;
import dev.holdfast.http.object.ZoneFirewall.StoredRuleset;
import dev.holdfast.http.object.ZoneReply;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What the zone decides with, and the version of it. Owned by the zone's turn. */
final class ZoneDecisions {

  private static final String PREVIOUS_ID = "0".repeat(32);

  private final ZoneStore store;
  private final Firewall firewall;
  private final Rulesets rulesets;
  private final Migration migration;
  private final Map<String, ManagedRuleset> managed;
  private @Nullable CompiledZone compiled;

  ZoneDecisions(
      ZoneStore store,
      Firewall firewall,
      Rulesets rulesets,
      Migration migration,
      Map<String, ManagedRuleset> managed) {
    this.store = store;
    this.firewall = firewall;
    this.rulesets = rulesets;
    this.migration = migration;
    this.managed = managed;
  }

  /** Records that the configuration changes, in the transaction of the change. */
  void change() {
    long version = version();
    store.exec("DELETE FROM configuration");
    store.exec("INSERT INTO configuration (version) VALUES (?)", version + 1);
    compiled = null;
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

  /** Shows what the firewall would decide, and the rules that match. */
  ZoneReply simulate(Call call) {
    Instant now = store.now();
    DescribedRequest request = DescribedRequest.read(call.fields(), now);
    CompiledZone zone = compiled;
    if (zone == null) {
      zone = new CompiledZone(stored(), managed);
      compiled = zone;
    }
    Decision decision =
        zone.decide(
            request.fields(),
            request.site(),
            now,
            (owner, failure) -> {
              throw Expressions.tooMuchWork(owner, failure);
            });
    boolean isDecided = decision.action() != FirewallAction.NONE;
    ObjectNode result =
        Json.object()
            .put("action", isDecided ? decision.action().word() : null)
            .put("rule_id", decision.ruleId())
            .put("zone_version", decision.zoneVersion());
    result.putArray("matched").addAll(decision.matched().stream().map(this::shown).toList());
    ArrayNode products = result.putArray("bypassed_products");
    decision.bypassedProducts().stream().sorted().forEach(products::add);
    return Envelope.ok(result);
  }

  private ObjectNode shown(MatchedRule match) {
    ObjectNode shown = Json.tree(match);
    return match.score() > 0 ? shown : shown.without("score");
  }
}
