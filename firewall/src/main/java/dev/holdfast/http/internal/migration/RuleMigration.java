package dev.holdfast.http.internal.migration;

import dev.holdfast.http.firewall.Decision;
import dev.holdfast.http.firewall.object.MigrationState;
import dev.holdfast.http.firewall.object.MigrationStatus;
import dev.holdfast.http.firewall.object.ZoneFirewall.StoredRuleset;
import dev.holdfast.http.internal.firewall.FirewallBounds;
import dev.holdfast.http.internal.firewall.Rules;
import dev.holdfast.http.internal.firewall.Rules.Summary;
import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.store.Expressions;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.Plan;
import dev.holdfast.http.object.RefusalDetail;
import dev.holdfast.http.object.RefusedException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
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
      Math.min(FirewallBounds.RULES_LENGTH_MAX, FirewallBounds.DOCUMENT_BYTES_MAX);
  private static final String LONGEST_ID = "0".repeat(32);
  private static final String LONGEST_TIME = "2000-01-01T00:00:00.000000001Z";

  private final ZoneStore store;
  private final Rules rules;
  private final Expressions expressions;
  private final LegacyDocument document;

  /**
   * Opens the migration of a zone.
   *
   * @param store the zone's store
   * @param rules has the rules that are migrated
   * @param expressions compiles expressions
   */
  public RuleMigration(ZoneStore store, Rules rules, Expressions expressions) {
    this.store = store;
    this.expressions = expressions;
    this.rules = rules;
    this.document = new LegacyDocument(store);
  }

  /** Always read from the database: a dry run and a late refusal roll back a step. */
  private MigrationState state() {
    String stored = store.text("SELECT state AS text FROM migration");
    return stored == null ? MigrationState.START : MigrationState.valueOf(stored);
  }

  /** {@return the APIs of the previous managed rules, which are gone once the zone has migrated} */
  public LegacyWaf previous() {
    requirePrevious();
    return new LegacyWaf(store, document);
  }

  /**
   * Replaces the previous managed rules.
   *
   * @param imported the document
   */
  public void importDocument(Fields imported) {
    requireStart();
    document.importDocument(imported);
  }

  /** Refuses a zone whose migration has begun. */
  public void requireStart() {
    if (state() != MigrationState.START) {
      throw refused("the migration of the zone has begun");
    }
  }

  /**
   * {@return an entry point that does what the previous managed rules do; none when the migration
   * has finished}
   */
  public Optional<StoredRuleset> previousRules() {
    ArrayNode rules = Json.array();
    if (state() != MigrationState.FINISHED) {
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

  /** Refuses a zone that has migrated. */
  public void requirePrevious() {
    if (state() == MigrationState.FINISHED) {
      throw new RefusedException(
          RefusedException.Kind.GONE,
          List.of(
              new RefusalDetail(
                  10020,
                  "The previous managed rules are gone: the zone has migrated, use rulesets")));
    }
  }

  /** {@return what the entry point becomes by the migration} */
  public ObjectNode configuration() {
    requirePrevious();
    LegacyConfiguration old = read();
    refuseIfHindered(old);
    return Mapping.entryPoint(old);
  }

  /** {@return how the zone stands in its migration} */
  public MigrationStatus status() {
    MigrationState state = state();
    boolean isGone = state == MigrationState.FINISHED;
    LegacyConfiguration old = read();
    return new MigrationStatus(
        state, !isGone && obstacle(old) == null, !isGone && old.wafEnabled());
  }

  private LegacyConfiguration read() {
    return document.read(rules.summaries());
  }

  /**
   * Checks the update of an entry point, and takes the step of the migration that comes with it.
   *
   * @param phase the phase of the entry point
   * @param rules its new rules
   * @param next the state after the step; null if the update is no step
   * @param hasRules whether the update names rules
   * @throws RefusedException if the update is not allowed
   */
  public void beforeUpdate(
      String phase, List<ObjectNode> rules, @Nullable MigrationState next, boolean hasRules) {
    if (next == null) {
      beforeWrite(phase, rules);
      return;
    }
    if (!phase.equals(MANAGED_PHASE)) {
      throw refused("a migration defines the entry point of " + MANAGED_PHASE);
    }
    if (!hasRules) {
      // A migration without rules cannot be reverted, so the rules are mandatory.
      throw RefusedException.invalidJson("missing field \"rules\"", "/rules");
    }
    checkState(next == MigrationState.VALIDATION);
    refuseIfHindered(read());
    become(next);
  }

  private void checkState(boolean validation) {
    MigrationState state = state();
    if (state == MigrationState.FINISHED) {
      throw refused("the zone has migrated, which cannot be reverted");
    }
    if (validation && store.profile().plan() != Plan.ENTERPRISE) {
      throw refused("validation needs an Enterprise plan");
    }
    if (validation && state == MigrationState.VALIDATION) {
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
    if (old.firewallRules().size() > FirewallBounds.FIREWALL_RULES_MIGRATED_MAX) {
      return "the zone has "
          + old.firewallRules().size()
          + " firewall rules, at most "
          + FirewallBounds.FIREWALL_RULES_MIGRATED_MAX
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
   * @throws RefusedException if it may not
   */
  public void beforeWrite(String phase, List<ObjectNode> rules) {
    boolean early =
        phase.equals(MANAGED_PHASE)
            && state() == MigrationState.START
            && store.profile().plan() != Plan.ENTERPRISE
            && read().wafEnabled();
    if (early && rules.stream().anyMatch(rule -> rule.get("enabled").booleanValue())) {
      throw refused("before the migration the rules of this phase can only be disabled");
    }
  }

  private void become(MigrationState next) {
    store.exec("DELETE FROM migration");
    store.exec("INSERT INTO migration (state) VALUES (?)", next.name());
  }

  private static RefusedException refused(String reason) {
    return new RefusedException(new RefusalDetail(REFUSED, "waf_migration: " + reason));
  }
}
