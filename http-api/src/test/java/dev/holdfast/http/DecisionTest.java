package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.http.firewall.Decision;
import dev.holdfast.http.firewall.FirewallAction;
import dev.holdfast.http.firewall.MatchedRule;
import dev.holdfast.http.firewall.SiteRequest;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.object.Plan;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What the firewall decides, with rules that were written through the API. */
@TestInstance(Lifecycle.PER_CLASS)
class DecisionTest {

  private static final String CUSTOM = "http_request_firewall_custom";

  @TempDir private static Path directory;

  private ApiFixture api;

  @BeforeAll
  void open() {
    api = new ApiFixture(directory);
  }

  @AfterAll
  void close() {
    api.close();
  }

  @BeforeEach
  void newZone() {
    api.newZone(Plan.ENTERPRISE);
  }

  private static SiteRequest request(String path) {
    return SiteRequest.of("GET", "https://example.com" + path, Map.of(), "192.0.2.1");
  }

  private Decision decide(SiteRequest request) {
    return api.api.firewall().decide(api.zone.id(), request);
  }

  private Decision decide(String path) {
    return decide(request(path));
  }

  /** Creates a rule and returns its id. */
  private String rule(String expression, String action, String more) {
    String body =
        "[{\"filter\":{\"expression\":%s},\"action\":\"%s\"%s}]"
            .formatted(Json.write(Json.object().put("e", expression).get("e")), action, more);
    return api.post("/firewall/rules", body).isOk().result().get(0).get("id").stringValue();
  }

  private String rule(String expression, String action) {
    return rule(expression, action, "");
  }

  /** Writes the entry point of the phase for custom rules. */
  private void entryPoint(String rules) {
    api.put("/rulesets/phases/" + CUSTOM + "/entrypoint", "{\"rules\":[" + rules + "]}").isOk();
  }

  private static String item(String expression, String action, String parameters) {
    return "{\"expression\":\"%s\",\"action\":\"%s\"%s}"
        .formatted(
            expression, action, parameters.isEmpty() ? "" : ",\"action_parameters\":" + parameters);
  }

  private static List<FirewallAction> actions(Decision decision) {
    return decision.matched().stream().map(MatchedRule::action).toList();
  }

  @Test
  void writeTakesEffectBeforeItsAnswer() {
    assertThat(decide("/admin").action()).isEqualTo(FirewallAction.NONE);

    String id = rule("http.request.uri.path eq \"/admin\"", "block");
    Decision blocked = decide("/admin");

    assertThat(blocked.action()).isEqualTo(FirewallAction.BLOCK);
    assertThat(blocked.ruleId()).isEqualTo(id);
    assertThat(blocked.zoneId()).isEqualTo(api.zone.id());
    assertThat(blocked.time()).isEqualTo(api.clock.instant());
    assertThat(decide("/other").action()).isEqualTo(FirewallAction.NONE);

    api.delete("/firewall/rules/" + id).isOk();
    Decision passed = decide("/admin");

    assertThat(passed.action()).isEqualTo(FirewallAction.NONE);
    assertThat(passed.zoneVersion()).isEqualTo(blocked.zoneVersion() + 1);
  }

  @Test
  void pausedRulesAndFiltersDoNothing() {
    rule("http.request.uri.path eq \"/a\"", "block", ",\"paused\":true");
    rule("http.request.uri.path eq \"/b\"", "block");
    String filter = api.get("/filters").isOk().result().get(1).get("id").stringValue();
    assertThat(decide("/a").action()).isEqualTo(FirewallAction.NONE);
    assertThat(decide("/b").action()).isEqualTo(FirewallAction.BLOCK);

    api.put(
            "/filters/" + filter,
            "{\"expression\":\"http.request.uri.path eq \\\"/b\\\"\",\"paused\":true}")
        .isOk();

    assertThat(decide("/b").action()).isEqualTo(FirewallAction.NONE);
  }

  @Test
  void refusedWriteChangesNothing() {
    rule("ip.src eq 192.0.2.1", "block");
    long version = decide("/").zoneVersion();

    api.post("/firewall/rules", "[{\"filter\":{\"expression\":\"x\"},\"action\":\"allow\"}]")
        .isError(400, 10202);

    assertThat(decide("/").zoneVersion()).isEqualTo(version);
    assertThat(decide("/").action()).isEqualTo(FirewallAction.BLOCK);
  }

  @Test
  void priorityAndThenActionDecideWhichRuleIsFirst() {
    rule("ssl", "block", ",\"priority\":5");
    rule("http.request.method eq \"GET\"", "challenge", ",\"priority\":2");
    rule("http.host eq \"example.com\"", "log", ",\"priority\":2");

    Decision decision = decide("/");

    assertThat(decision.action()).isEqualTo(FirewallAction.CHALLENGE);
    assertThat(actions(decision)).containsExactly(FirewallAction.LOG, FirewallAction.CHALLENGE);
  }

  @Test
  void bypassNamesProductsAndGoesOn() {
    rule("ssl", "bypass", ",\"priority\":1,\"products\":[\"hot\",\"bic\"]");
    rule("http.host eq \"example.com\"", "js_challenge", ",\"priority\":2");

    Decision decision = decide("/");

    assertThat(decision.action()).isEqualTo(FirewallAction.JS_CHALLENGE);
    assertThat(decision.bypassedProducts()).containsExactlyInAnyOrder("hot", "bic");
  }

  @Test
  void allowEndsTheFirewallRulesAndNotTheRulesets() {
    rule("http.request.uri.path eq \"/a\"", "allow", ",\"priority\":1");
    rule("ssl", "block", ",\"priority\":2");
    assertThat(decide("/a").action()).isEqualTo(FirewallAction.ALLOW);
    assertThat(decide("/b").action()).isEqualTo(FirewallAction.BLOCK);

    entryPoint(item("ip.src in {192.0.2.0/24}", "block", ""));

    Decision decision = decide("/a");
    assertThat(decision.action()).isEqualTo(FirewallAction.BLOCK);
    assertThat(actions(decision)).containsExactly(FirewallAction.ALLOW, FirewallAction.BLOCK);
    assertThat(decision.matched().getLast().phase()).isEqualTo(CUSTOM);
  }

  @Test
  void skipLeavesOutTheRestOfARulesetOrAPhase() {
    entryPoint(
        item("http.request.uri.path eq \\\"/a\\\"", "skip", "{\"ruleset\":\"current\"}")
            + ","
            + item(
                "http.request.uri.path eq \\\"/b\\\"", "skip", "{\"phases\":[\"" + CUSTOM + "\"]}")
            + ","
            + item(
                "http.request.uri.path eq \\\"/c\\\"",
                "skip",
                "{\"phases\":[\"http_request_firewall_managed\"]}")
            + ","
            + item("true", "block", ""));

    assertThat(decide("/a").action()).isEqualTo(FirewallAction.NONE);
    assertThat(decide("/b").action()).isEqualTo(FirewallAction.NONE);
    assertThat(decide("/c").action()).isEqualTo(FirewallAction.BLOCK);
    assertThat(actions(decide("/a"))).containsExactly(FirewallAction.SKIP);
  }

  @Test
  void customRulesetsRunWhereTheyAreExecuted() {
    String custom =
        api.post(
                "/rulesets",
                "{\"name\":\"bots\",\"kind\":\"custom\",\"phase\":\"%s\",\"rules\":[%s,%s]}"
                    .formatted(
                        CUSTOM,
                        item("http.user_agent contains \\\"curl\\\"", "log", ""),
                        item("http.request.uri.path contains \\\"bot\\\"", "block", "")))
            .isOk()
            .result()
            .get("id")
            .stringValue();
    assertThat(decide("/bot").action()).isEqualTo(FirewallAction.NONE);

    entryPoint(item("http.host eq \\\"example.com\\\"", "execute", "{\"id\":\"" + custom + "\"}"));

    Decision decision = decide("/bot");
    assertThat(decision.action()).isEqualTo(FirewallAction.BLOCK);
    assertThat(decision.matched().getFirst().rulesetId()).isEqualTo(custom);

    entryPoint(
        item("true", "skip", "{\"rulesets\":[\"" + custom + "\"]}")
            + ","
            + item("true", "execute", "{\"id\":\"" + custom + "\"}"));
    assertThat(decide("/bot").action()).isEqualTo(FirewallAction.NONE);
  }

  @Test
  void disabledRulesOfARulesetDoNothing() {
    entryPoint("{\"expression\":\"true\",\"action\":\"block\",\"enabled\":false}");

    assertThat(decide("/").action()).isEqualTo(FirewallAction.NONE);
  }

  @Test
  void describedBodyIsThatOfTheRequest() {
    rule("any(http.request.body.form[\"name\"][*] eq \"x y\")", "block");
    rule("http.request.body.size eq 3", "challenge");
    String described =
        "{'url':'https://example.com/','method':'POST','headers':{'content-type':"
            + "'application/x-www-form-urlencoded'},'fields':{'http.request.body.raw':'%s'%s}}";

    assertThat(simulated(described.formatted("a=1&name=x+%79", ""))).isEqualTo("block");
    assertThat(simulated(described.formatted("a=1", ""))).isEqualTo("challenge");
    assertThat(simulated(described.formatted("a=1", ",'http.request.body.size':4")))
        .isEqualTo("none");
  }

  private String simulated(String request) {
    return api.post("/firewall/simulate", request.replace('\'', '"'))
        .isOk()
        .result()
        .get("action")
        .asString("none");
  }

  @Test
  void newDescriptionLeavesTheRulesOfAnEntryPoint() {
    entryPoint(item("http.request.uri.path eq \\\"/a\\\"", "block", ""));

    JsonNode changed =
        api.put("/rulesets/phases/" + CUSTOM + "/entrypoint", "{\"description\":\"new\"}")
            .isOk()
            .result();

    assertThat(changed.get("description").stringValue()).isEqualTo("new");
    assertThat(changed.get("rules")).hasSize(1);
    assertThat(decide("/a").action()).isEqualTo(FirewallAction.BLOCK);
    entryPoint("");
    assertThat(decide("/a").action()).isEqualTo(FirewallAction.NONE);
  }

  @Test
  void fieldsOfTheBodyAreReadAndSayThatTheyAreCut() {
    // Without the previous managed rules, which read bodies.
    api.put(
            "/rulesets/phases/http_request_firewall_managed/entrypoint"
                + "?waf_migration=pending&phase_two=1",
            "{\"rules\":[]}")
        .isOk();
    assertThat(api.api.firewall().readsBody(api.zone.id())).isFalse();
    rule("any(http.request.body.form[\"name\"][*] eq \"x y\")", "block");
    rule("http.request.body.truncated", "challenge");
    assertThat(api.api.firewall().readsBody(api.zone.id())).isTrue();
    SiteRequest form =
        SiteRequest.of(
            "POST",
            "https://example.com/",
            Map.of("Content-Type", List.of("application/x-www-form-urlencoded")),
            "192.0.2.1");
    ByteBuffer body = ByteBuffer.wrap("a=1&name=x+%79".getBytes(StandardCharsets.UTF_8));

    assertThat(decide(form.withBody(body, false)).action()).isEqualTo(FirewallAction.BLOCK);
    for (String end : List.of(";x", " ; x", ",x", " x")) {
      // Some sites read the type up to a comma or a blank.
      SiteRequest other =
          SiteRequest.of(
              "POST",
              "https://example.com/",
              Map.of("Content-Type", List.of("application/x-www-Form-urlencoded" + end)),
              "192.0.2.1");
      assertThat(decide(other.withBody(body, false)).action()).isEqualTo(FirewallAction.BLOCK);
    }
    assertThat(decide(form).action()).isEqualTo(FirewallAction.NONE);
    assertThat(decide(form.withBody(ByteBuffer.allocate(3), true)).action())
        .isEqualTo(FirewallAction.CHALLENGE);
  }

  @Test
  void expressionThatFailsActsIfItRestrictsAndIsCounted() {
    String slow = "http.request.uri.path matches \"" + "(a|b|ab)*x".repeat(30) + "\"";
    rule(slow, "block", ",\"priority\":1");
    rule("ssl", "challenge", ",\"priority\":2");
    long before = api.api.firewall().failures();

    Decision decision = decide("/" + "ab".repeat(8_000));

    assertThat(decision.action()).isEqualTo(FirewallAction.BLOCK);
    assertThat(api.api.firewall().failures()).isEqualTo(before + 1);
  }

  @Test
  void simulationDecidesThoughAnExpressionFailsAndSaysWhich() {
    String slow = "http.request.uri.path matches \"" + "(a|b|ab)*x".repeat(30) + "\"";
    rule(slow, "block", ",\"priority\":1");
    rule("ssl", "challenge", ",\"priority\":2");
    String filter = api.get("/firewall/rules").isOk().result().at("/0/filter/id").stringValue();
    long before = api.api.firewall().failures();

    JsonNode simulated =
        api.post(
                "/firewall/simulate",
                "{\"url\":\"https://example.com/%s\"}".formatted("ab".repeat(8_000)))
            .isOk()
            .result();

    assertThat(simulated.get("action").stringValue()).isEqualTo("block");
    assertThat(simulated.get("failures")).hasSize(1);
    assertThat(simulated.at("/failures/0/owner").stringValue()).isEqualTo("filter " + filter);
    assertThat(simulated.at("/failures/0/message").stringValue()).contains("more work");
    assertThat(api.api.firewall().failures()).isEqualTo(before + 1);
  }

  @Test
  void simulationIsTheSameDecision() {
    String first = rule("http.request.uri.path eq \"/a\"", "log");
    entryPoint(item("ip.src eq 192.0.2.1", "block", ""));

    JsonNode simulated =
        api.post("/firewall/simulate", "{\"url\":\"https://example.com/a\",\"ip\":\"192.0.2.1\"}")
            .isOk()
            .result();
    Decision decision = decide("/a");

    assertThat(simulated.get("action").stringValue()).isEqualTo(decision.action().word());
    assertThat(simulated.get("rule_id").stringValue()).isEqualTo(decision.ruleId());
    assertThat(simulated.get("zone_version").longValue()).isEqualTo(decision.zoneVersion());
    assertThat(simulated.get("matched")).hasSize(2);
    assertThat(simulated.get("matched").get(0).get("rule_id").stringValue()).isEqualTo(first);
    assertThat(simulated.get("matched").get(1).get("phase").stringValue()).isEqualTo(CUSTOM);
  }

  /** A site that decodes them would serve another path than rules have judged. */
  @Test
  void simulationRefusesEscapedSlashes() {
    rule("http.request.uri.path eq \"/a/admin\"", "block");
    for (String path : List.of("/a%2Fadmin", "/a%2fadmin", "/a%5Cadmin")) {
      String description = "{\"url\":\"https://example.com" + path + "\"}";
      api.post("/firewall/simulate", description).isError(400, 10002);
      api.post("/page_monitor/headers", description).isError(400, 10002);
    }
    api.post("/firewall/simulate", "{\"url\":\"https://example.com/?a=%2F%5C\"}").isOk();
  }

  @Test
  void decisionsAreCounted() {
    String id = rule("ssl", "block");
    decide("/");
    decide("/");

    assertThat(api.api.firewall().decisions()).containsEntry(id, 2L);
  }

  @Test
  void rulesThatOnlyLogAreCounted() {
    String log = rule("http.host eq \"example.com\"", "log");
    String allow = rule("ssl", "allow");
    entryPoint(item("true", "log", ""));

    String last = decide("/").matched().getLast().ruleId();

    // Not their action: the decision is another.
    assertThat(api.api.firewall().decisions())
        .containsEntry(log, 1L)
        .containsEntry(allow, 1L)
        .containsEntry(last, 1L)
        .doesNotContainKey("log");
  }

  @Test
  void failuresAreLoggedOnceAMinute() {
    rule("http.request.uri.path matches \"" + "(a|b|ab)*x".repeat(30) + "\"", "block");
    SiteRequest slow = request("/" + "ab".repeat(8_000));
    List<String> logged = new ArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            if (line.getMessage().contains(api.zone.id())) {
              logged.add(line.getMessage());
            }
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger log = Logger.getLogger("dev.holdfast.http");
    log.addHandler(handler);
    try {
      // Other tests may have failed an expression at the present time.
      api.clock.advance(Duration.ofMinutes(1));
      decide(slow);
      decide(slow);
      api.clock.advance(Duration.ofSeconds(59));
      decide(slow);
      assertThat(logged).hasSize(1);

      api.clock.advance(Duration.ofSeconds(1));
      decide(slow);
      decide(slow);
    } finally {
      log.removeHandler(handler);
    }
    assertThat(logged)
        .hasSize(2)
        .allMatch(
            line -> line.startsWith("filter ") && line.contains("failed and was not decided"));
    assertThat(logged.getLast())
        .endsWith("failures so far: " + (api.api.firewall().failures() - 1));
  }

  @Test
  void hostsBelongToTheZoneWithTheLongestDomain() {
    Firewall firewall = api.api.firewall();
    String shop = api.api.operator().createZone("shop.example.org", Plan.PRO).id();
    String whole = api.api.operator().createZone("example.org", Plan.PRO).id();

    assertThat(firewall.zoneOf("shop.example.org")).contains(shop);
    assertThat(firewall.zoneOf("a.b.SHOP.example.org")).contains(shop);
    assertThat(firewall.zoneOf("other.example.org")).contains(whole);
    assertThat(firewall.zoneOf("org")).isEmpty();
  }

  @Test
  void unknownZonesAndMalformedRequestsAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> api.api.firewall().decide("0".repeat(32), request("/")));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> decide(SiteRequest.of("GET", "/relative", Map.of(), "192.0.2.1")));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> decide(SiteRequest.of("GET", "https://example.com/", Map.of(), "x")));
  }

  @Test
  void decisionNeedsNoObject(@TempDir Path other) {
    ApiFixture stopped = new ApiFixture(other);
    SiteRequest request = request("/");
    Decision before = stopped.api.firewall().decide(stopped.zone.id(), request);
    // The first decision may have started the object, which counts as a change.
    stopped.api.firewall().decide(stopped.zone.id(), request);
    stopped.close();

    assertThat(stopped.api.firewall().decide(stopped.zone.id(), request)).isEqualTo(before);
  }
}
