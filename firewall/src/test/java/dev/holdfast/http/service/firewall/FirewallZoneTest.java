package dev.holdfast.http.service.firewall;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.http.firewall.Decision;
import dev.holdfast.http.firewall.FirewallAction;
import dev.holdfast.http.firewall.SiteRequest;
import dev.holdfast.http.firewall.Undecided;
import dev.holdfast.http.firewall.object.Filter;
import dev.holdfast.http.firewall.object.FilterSearch;
import dev.holdfast.http.firewall.object.FirewallRule;
import dev.holdfast.http.firewall.object.FirewallRules.Priority;
import dev.holdfast.http.firewall.object.FirewallZone;
import dev.holdfast.http.firewall.object.MigrationState;
import dev.holdfast.http.firewall.object.PreviousRules.Part;
import dev.holdfast.http.firewall.object.PreviousSearch;
import dev.holdfast.http.firewall.object.RuleSearch;
import dev.holdfast.http.firewall.object.Ruleset;
import dev.holdfast.http.firewall.object.RulesetDraft;
import dev.holdfast.http.object.PageRange;
import dev.holdfast.http.object.Plan;
import dev.holdfast.http.object.RefusalDetail;
import dev.holdfast.http.object.RefusedException;
import dev.holdfast.http.object.RefusedException.Kind;
import dev.holdfast.http.object.ZoneChanges;
import dev.holdfast.http.object.ZoneProfile;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The firewall as an application uses it that has no HTTP API. */
class FirewallZoneTest {

  private static final String ID = "0123456789abcdef0123456789abcdef";
  private static final String CUSTOM = "http_request_firewall_custom";
  private static final PageRange FIRST = new PageRange(1, 25);

  private final ZoneChanges changes = new ZoneChanges();
  private final InstantSource clock =
      InstantSource.fixed(Instant.parse("2026-11-21T10:00:00.123456Z"));
  private ObjectRuntime runtime;
  private ObjectNamespace<FirewallZone> zones;
  private FirewallZone shop;
  private FirewallDecisions decisions;

  @BeforeEach
  void open(@TempDir Path directory) {
    Random random = new Random(20_261_129);
    runtime =
        Holdfast.open(directory, objects -> Firewalls.register(objects, clock, random, changes));
    zones = runtime.namespace(FirewallZone.NAMESPACE, FirewallZone.class);
    shop = zones.getByName(ID);
    shop.configure(ZoneProfile.of(ID, "example.com", Plan.PRO).withFirewallRulesMax(2));
    decisions =
        new FirewallDecisions(
            zone -> zones.getByName(zone).firewall(), Map.of(), Undecided.BLOCK, changes, clock);
  }

  @AfterEach
  void close() {
    runtime.close();
  }

  private Decision decide(String path) {
    return decisions.decide(
        ID, SiteRequest.of("GET", "https://example.com" + path, Map.of(), "192.0.2.1"));
  }

  private static FirewallRule block(String path) {
    return FirewallRule.of(FirewallAction.BLOCK, "http.request.uri.path contains \"" + path + "\"");
  }

  private static RefusedException refused(Runnable call) {
    return catchThrowableOfType(RefusedException.class, call::run);
  }

  @Test
  void aRuleDecidesFromItsOwnAnswerOn() {
    assertThat(decide("/.git").action()).isEqualTo(FirewallAction.NONE);

    FirewallRule stored = shop.addRules(List.of(block("/.git"))).getFirst();

    assertThat(decide("/.git").ruleId()).isEqualTo(stored.id());
    assertThat(decide("/").action()).isEqualTo(FirewallAction.NONE);
    assertThat(shop.rules(RuleSearch.ALL, FIRST).items()).containsExactly(stored);

    assertThat(shop.deleteRule(stored.id(), true).isFilterDeleted()).isTrue();

    assertThat(decide("/.git").action()).isEqualTo(FirewallAction.NONE);
    assertThat(shop.filters(FilterSearch.ALL, FIRST).totalCount()).isZero();
  }

  @Test
  void aRefusalSaysWhatIsWrongAndWhere() {
    List<Filter> filters = List.of(Filter.of("ssl"), Filter.of("ip.src eq"));

    RefusedException refused = refused(() -> shop.addFilters(filters));

    assertThat(refused.kind()).isEqualTo(Kind.INVALID);
    assertThat(refused.refusals().getFirst().place()).isEqualTo("/1/expression");
    assertThat(shop.filters(FilterSearch.ALL, FIRST).items()).isEmpty();
    assertThat(refused(() -> shop.rule("nothing")).kind()).isEqualTo(Kind.NOT_FOUND);
  }

  @Test
  void filtersOfRulesBeyondTheQuotaStay() {
    List<FirewallRule> three = List.of(block("/a"), block("/b"), block("/c"));

    RefusedException refused = refused(() -> shop.addRules(three));

    assertThat(refused.refusals())
        .extracting(RefusalDetail::aboutId)
        .containsExactlyElementsOf(
            shop.filters(FilterSearch.ALL, FIRST).items().stream().map(Filter::id).toList());
    assertThat(shop.rules(RuleSearch.ALL, FIRST).items()).isEmpty();
  }

  @Test
  void severalRulesChangeAllOrNone() {
    List<FirewallRule> rules = shop.addRules(List.of(block("/a"), block("/b")));
    Priority known = new Priority(rules.getLast().id(), 1L);

    assertThat(refused(() -> shop.prioritise(List.of(known, new Priority("nothing", 2L)))))
        .isNotNull();

    assertThat(shop.rule(rules.getLast().id()).priority()).isNull();
    assertThat(shop.prioritise(List.of(known)).getFirst().priority()).isEqualTo(1);
  }

  @Test
  void aRulesetHasVersions() {
    String rules =
        "[{\"action\":\"block\",\"expression\":\"http.request.uri.path eq \\\"/x\\\"\"}]";
    RulesetDraft draft = new RulesetDraft(null, "first", rules);

    Ruleset first = shop.updateEntryPoint(CUSTOM, draft, null);

    assertThat(first.version()).isEqualTo(1);
    assertThat(decide("/x").action()).isEqualTo(FirewallAction.BLOCK);

    shop.updateRuleset(first.id(), new RulesetDraft(null, null, "[]"));

    assertThat(decide("/x").action()).isEqualTo(FirewallAction.NONE);
    assertThat(shop.entryPointVersions(CUSTOM))
        .extracting(Ruleset::version)
        .containsExactly(1L, 2L);
    assertThat(shop.entryPointVersion(CUSTOM, "1").rules()).isEqualTo(first.rules());
  }

  @Test
  void aRulesetIsCheckedWithoutAChange() {
    String rule = "{\"action\":\"block\",\"expression\":\"%s\"}";
    Ruleset custom =
        shop.createRuleset(
            "custom", CUSTOM, new RulesetDraft("mine", null, "[" + rule.formatted("ssl") + "]"));
    String wrong = "[" + rule.formatted("nothing") + "]";

    shop.checkEntryPoint(CUSTOM, new RulesetDraft(null, null, custom.rules()));
    assertThat(refused(() -> shop.checkEntryPoint(CUSTOM, new RulesetDraft(null, null, wrong))))
        .hasMessageContaining("nothing");
    assertThat(refused(() -> shop.entryPoint(CUSTOM)).kind()).isEqualTo(Kind.NOT_FOUND);

    String id = custom.rules().replaceFirst(".*\"id\":\"(\\w+)\".*", "$1");
    assertThat("[" + shop.rulesetRule(custom.id(), id) + "]").isEqualTo(custom.rules());
    assertThat(refused(() -> shop.rulesetRule(custom.id(), "x")).kind()).isEqualTo(Kind.NOT_FOUND);
    assertThat(
            refused(() -> shop.createRuleset("custom", CUSTOM, new RulesetDraft(null, "", "[]"))))
        .hasMessageContaining("name");
  }

  @Test
  void aRuleThatIsNoJsonOrHasOtherTypesIsRefused() {
    Ruleset custom = shop.createRuleset("custom", CUSTOM, new RulesetDraft("mine", null, null));

    assertThat(refused(() -> shop.addRulesetRule(custom.id(), "{"))).isNotNull();
    assertThat(refused(() -> shop.addRulesetRule(custom.id(), "[]"))).isNotNull();
    assertThat(
            refused(() -> shop.addRulesetRule(custom.id(), "{\"action\":7}"))
                .refusals()
                .getFirst()
                .place())
        .isEqualTo("/action");
  }

  @Test
  void aZoneMigratesFromItsPreviousRules() {
    shop.importPreviousRules(
        """
        {"packages":{"managed":{"rules":[
          {"id":"00000000000000000000000000000001","mode":"disable","group_id":"g"}]}}}
        """);
    String packageId = "1e334934fd7ae32ad705667f8c1057aa";
    assertThat(shop.previousItems(packageId, Part.RULES, PreviousSearch.ALL, FIRST).totalCount())
        .isEqualTo(1);
    assertThat(shop.migrationStatus().isCompatible()).isTrue();
    shop.requireNoMigration();
    shop.requirePreviousRules();
    assertThat(shop.migratedEntryPoint()).contains("00000000000000000000000000000001");

    shop.updateEntryPoint(
        "http_request_firewall_managed",
        new RulesetDraft(null, null, "[]"),
        MigrationState.FINISHED);

    assertThat(shop.migrationStatus().state()).isEqualTo(MigrationState.FINISHED);
    assertThat(refused(() -> shop.previousPackage(packageId)).kind()).isEqualTo(Kind.GONE);
    assertThat(refused(shop::requirePreviousRules).kind()).isEqualTo(Kind.GONE);
    assertThat(refused(shop::requireNoMigration).kind()).isEqualTo(Kind.INVALID);
  }
}
