package dev.holdfast.http.internal.migration;

import dev.holdfast.http.firewall.Decision;
import dev.holdfast.http.internal.HttpBounds;
import dev.holdfast.http.internal.call.Call;
import dev.holdfast.http.internal.call.Query;
import dev.holdfast.http.internal.error.ApiException;
import dev.holdfast.http.internal.firewall.FirewallTable;
import dev.holdfast.http.internal.firewall.FirewallTable.Summary;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.internal.store.Expressions;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.Plan;
import dev.holdfast.http.object.ZoneFirewall.StoredRuleset;
import dev.holdfast.http.object.ZoneReply;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.NullNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The migration of a zone from its previous managed rules to rulesets: {@code start}, optionally
 * {@code validation}, {@code finished}. It cannot be reverted. Owned by the zone's turn.
 */
public final class RuleMigration {

  private static final String MANAGED_PHASE = "http_request_firewall_managed";
  private static final String PREVIOUS_ID = "0".repeat(32);
  private static final int REFUSED = 10301;
  private static final int RULES_BYTES_MAX =
      Math.min(HttpBounds.RULES_LENGTH_MAX, HttpBounds.BODY_BYTES_MAX);
  private static final String LONGEST_ID = "0".repeat(32);
  private static final String LONGEST_TIME = "2000-01-01T00:00:00.000000001Z";

  private final ZoneStore store;
  private final FirewallTable firewall;
  private final Expressions expressions;
  private final LegacyDocument document;
  private final LegacyWaf legacy;

  private enum State {
    START,
    VALIDATION,
    FINISHED;

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Opens the migration of a zone.
   *
   * @param store the zone's store
   * @param firewall has the rules that are migrated
   * @param expressions compiles expressions
   */
  public RuleMigration(ZoneStore store, FirewallTable firewall, Expressions expressions) {
    this.store = store;
    this.expressions = expressions;
    this.firewall = firewall;
    this.document = new LegacyDocument(store);
    this.legacy = new LegacyWaf(store, document);
  }

  /** Always read from the database: a dry run and a late refusal roll back a step. */
  private State state() {
    String stored = store.text("SELECT state AS text FROM migration");
    return stored == null ? State.START : State.valueOf(stored);
  }

  /**
   * Adds the operations of this class.
   *
   * @param operations by endpoint
   */
  public void addTo(Map<String, Function<Call, ZoneReply>> operations) {
    operations.put("import_managed_rules", this::importDocument);
    operations.put("check_migration", this::check);
    operations.put("get_migrated_configuration", this::configuration);
    operations.put("get_migration_status", this::status);
    legacy
        .operations()
        .forEach(
            (endpoint, operation) ->
                operations.put(
                    endpoint,
                    call -> {
                      refuseIfGone();
                      return operation.apply(call);
                    }));
  }

  private ZoneReply importDocument(Call call) {
    if (state() != State.START) {
      throw refused("the migration of the zone has begun");
    }
    document.importDocument(call.fields());
    return Envelope.ok(NullNode.instance);
  }

  /**
   * {@return an entry point that does what the previous managed rules do; none when the migration
   * has finished}
   */
  public Optional<StoredRuleset> previousRules() {
    ArrayNode rules = Json.array();
    if (state() != State.FINISHED) {
      for (JsonNode rule : Mapping.entryPoint(read()).get("rules")) {
        String expression = rule.get("expression").stringValue();
        // An imported bypass may be too long for a rule; then it cannot be migrated either.
        if (!Mapping.isTooLong(expression)) {
          // The rules of a migration get their ids when they are written.
          rules.add(((ObjectNode) rule).put("id", "%032x".formatted(rules.size() + 1)));
        }
      }
    }
    return Optional.of(rules)
        .filter(all -> !all.isEmpty())
        .map(Json::write)
        .map(all -> new StoredRuleset(PREVIOUS_ID, Decision.PREVIOUS_MANAGED_RULES, true, all));
  }

  private void refuseIfGone() {
    if (state() == State.FINISHED) {
      throw new ApiException(
          410, 10020, "The previous managed rules are gone: the zone has migrated, use rulesets");
    }
  }

  private ZoneReply check(Call call) {
    requirePhaseTwo(call.query());
    State state = state();
    boolean compatible = state != State.FINISHED && obstacle(read()) == null;
    return Envelope.ok(
        Json.object().put("compatible", compatible).put("migration_state", state.word()));
  }

  private ZoneReply configuration(Call call) {
    requirePhaseTwo(call.query());
    refuseIfGone();
    LegacyConfiguration old = read();
    refuseIfHindered(old);
    return Envelope.ok(Mapping.entryPoint(old));
  }

  private ZoneReply status(Call call) {
    State state = state();
    return Envelope.ok(
        Json.object()
            .put(
                "old_managed_rules",
                state != State.FINISHED && read().wafEnabled() ? "enabled" : "disabled")
            .put("new_managed_rules", state == State.START ? "disabled" : "enabled")
            .put("migration_state", state.word()));
  }

  private LegacyConfiguration read() {
    return document.read(firewall.summaries());
  }

  private static void requirePhaseTwo(Query query) {
    if (!"1".equals(query.text("phase_two"))) {
      throw ApiException.badParameter("phase_two", "1");
    }
  }

  /**
   * Checks whether an entry point may be replaced.
   *
   * @param call the request
   * @param phase the phase
   * @param rules the new rules
   * @throws dev.holdfast.http.internal.error.ApiException if it may not
   */
  public void beforeUpdate(Call call, String phase, List<ObjectNode> rules) {
    Query query = call.query();
    String value = query.text("waf_migration");
    if (value == null && query.all("waf_migration").isEmpty()) {
      beforeWrite(phase, rules);
      return;
    }
    if (value == null || !Set.of("pending", "1", "validation", "2").contains(value)) {
      throw ApiException.badParameter("waf_migration", "pending, 1, validation or 2");
    }
    requirePhaseTwo(query);
    if (!phase.equals(MANAGED_PHASE)) {
      throw refused("a migration defines the entry point of " + MANAGED_PHASE);
    }
    // A migration without rules cannot be reverted, so the rules are mandatory.
    call.fields().required("rules");
    boolean validation = value.equals("validation") || value.equals("2");
    checkState(validation);
    refuseIfHindered(read());
    become(validation ? State.VALIDATION : State.FINISHED);
  }

  private void checkState(boolean validation) {
    State state = state();
    if (state == State.FINISHED) {
      throw refused("the zone has migrated, which cannot be reverted");
    }
    if (validation && store.profile().plan() != Plan.ENTERPRISE) {
      throw refused("validation needs an Enterprise plan");
    }
    if (validation && state == State.VALIDATION) {
      throw refused("the zone is in validation");
    }
  }

  private void refuseIfHindered(LegacyConfiguration old) {
    String obstacle = obstacle(old);
    if (obstacle != null) {
      throw refused(obstacle);
    }
  }

  /** What hinders a migration; null if nothing does. */
  private @Nullable String obstacle(LegacyConfiguration old) {
    if (old.hasUriOverrides()) {
      return "the zone has URI-based overrides, delete them first";
    }
    if (old.firewallRules().size() > HttpBounds.FIREWALL_RULES_MIGRATED_MAX) {
      return "the zone has "
          + old.firewallRules().size()
          + " firewall rules, at most "
          + HttpBounds.FIREWALL_RULES_MIGRATED_MAX
          + " can be migrated: contact support";
    }
    if (old.firewallRules().stream().map(Summary::expression).anyMatch(Mapping::isTooLong)) {
      return "the expression of a firewall rule is longer than 4 KB: contact support";
    }
    // What the entry point would be refused for: a rule may be older than what the zone pays for.
    JsonNode rules = Mapping.entryPoint(old).get("rules");
    for (JsonNode rule : rules) {
      String mistake = expressions.mistake(rule.get("expression").stringValue(), false);
      if (mistake != null) {
        return "an expression of the new rules would be refused: " + mistake;
      }
    }
    if (writtenBytes(rules) > RULES_BYTES_MAX) {
      return "the new rules would be longer than "
          + RULES_BYTES_MAX
          + " bytes, import fewer page rules";
    }
    return null;
  }

  /**
   * The length of new rules as they are stored: with what the zone adds to each. The body that
   * brings them is shorter.
   */
  private static int writtenBytes(JsonNode rules) {
    for (JsonNode rule : rules) {
      ((ObjectNode) rule)
          .put("id", LONGEST_ID)
          .put("version", "1")
          .put("ref", LONGEST_ID)
          .put("last_updated", LONGEST_TIME);
    }
    return Json.write(rules).getBytes(StandardCharsets.UTF_8).length;
  }

  /**
   * Checks whether an entry point may have some rules, independent of how they are written: without
   * a migration, only Enterprise zones may have both the old rules and active new ones.
   *
   * @param phase the phase
   * @param rules the rules that it would have
   * @throws dev.holdfast.http.internal.error.ApiException if it may not
   */
  public void beforeWrite(String phase, List<ObjectNode> rules) {
    boolean early =
        phase.equals(MANAGED_PHASE)
            && state() == State.START
            && store.profile().plan() != Plan.ENTERPRISE
            && read().wafEnabled();
    if (early && rules.stream().anyMatch(rule -> rule.get("enabled").booleanValue())) {
      throw refused("before the migration the rules of this phase can only be disabled");
    }
  }

  private void become(State next) {
    store.exec("DELETE FROM migration");
    store.exec("INSERT INTO migration (state) VALUES (?)", next.name());
  }

  private static ApiException refused(String reason) {
    return new ApiException(400, REFUSED, "waf_migration: " + reason);
  }
}
