package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.http.firewall.FirewallAction;
import dev.holdfast.http.firewall.SiteRequest;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.object.Plan;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MigrationTest {

  private static final String ENTRY_POINT =
      "/rulesets/phases/http_request_firewall_managed/entrypoint";

  private ApiFixture api;

  @BeforeAll
  void start(@TempDir Path directory) {
    api = new ApiFixture(directory);
  }

  @BeforeEach
  void emptyZone() {
    api.newZone(Plan.ENTERPRISE);
  }

  @AfterAll
  void stop() {
    api.close();
  }

  private String configuration() {
    return Json.write(api.get("/waf_migration/config?phase_two=1").isOk().result());
  }

  private ApiFixture.Answer migrate(String value) {
    return api.put(ENTRY_POINT + "?phase_two=1&waf_migration=" + value, configuration());
  }

  private String state() {
    return api.get("/waf_migration/status").isOk().result().toString();
  }

  @Test
  void enterpriseGoesThroughValidationToTheEnd() {
    assertThat(api.get("/waf_migration/check?phase_two=1").isOk().result().toString())
        .isEqualTo("{\"compatible\":true,\"migration_state\":\"start\"}");

    migrate("2").isOk();
    assertThat(state())
        .isEqualTo(
            "{\"old_managed_rules\":\"enabled\",\"new_managed_rules\":\"enabled\","
                + "\"migration_state\":\"validation\"}");

    String last = configuration();
    api.put(ENTRY_POINT + "?phase_two=1&waf_migration=pending", last).isOk();
    assertThat(state())
        .isEqualTo(
            "{\"old_managed_rules\":\"disabled\",\"new_managed_rules\":\"enabled\","
                + "\"migration_state\":\"finished\"}");
    assertThat(
            api.get("/waf_migration/check?phase_two=1").result().get("compatible").booleanValue())
        .isFalse();
    api.put(ENTRY_POINT + "?phase_two=1&waf_migration=1", last).isError(400, 10301);
    api.get("/firewall/waf/packages").isError(410, 10020);
    api.get("/firewall/waf/overrides").isError(410, 10020);
    assertThat(api.get(ENTRY_POINT).isOk().result().get("rules")).hasSize(2);
  }

  @Test
  void aProZoneMigratesInOneStepAndHasNoValidation() {
    api.newZone(Plan.PRO);

    migrate("validation").isError(400, 10301);
    assertThat(state()).contains("start");
    api.put(ENTRY_POINT, configuration()).isError(400, 10301);
    migrate("pending").isOk();
    assertThat(state()).contains("finished");
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /waf_migration/check, 400, 10004",
    "GET, /waf_migration/check?phase_two=2, 400, 10004",
    "GET, /waf_migration/config, 400, 10004",
    "PUT, /rulesets/phases/http_request_firewall_managed/entrypoint?waf_migration=pending, 400,"
        + " 10004",
    "PUT, /rulesets/phases/http_request_firewall_managed/entrypoint?waf_migration=9&phase_two=1,"
        + " 400, 10004",
    "PUT, /rulesets/phases/http_request_firewall_managed/entrypoint?waf_migration=&phase_two=1,"
        + " 400, 10004",
    "PUT, /rulesets/phases/http_request_firewall_custom/entrypoint?waf_migration=1&phase_two=1,"
        + " 400, 10301",
  })
  void theParametersOfTheMigrationAreChecked(String method, String path, int status, int code) {
    String body = method.equals("PUT") ? "{\"name\":\"x\",\"rules\":[]}" : null;

    api.send(method, path, body).isError(status, code);

    assertThat(state()).contains("start");
  }

  @Test
  void aMigrationWithoutRulesIsRefused() {
    api.put(ENTRY_POINT + "?phase_two=1&waf_migration=pending", "{}").isError(400, 10002);

    assertThat(state()).contains("start");
  }

  @Test
  void noWayOfWritingRulesMakesBothVersionsRunInAProZone() {
    api.newZone(Plan.PRO);
    String enabled =
        """
        {"action":"execute","expression":"true",
         "action_parameters":{"id":"efb7b8c949ac4650a09736fc376e9aee"}}
        """;
    String disabled = enabled.replace("{\"action\"", "{\"enabled\":false,\"action\"");
    String ruleset =
        "{\"name\":\"x\",\"kind\":\"zone\",\"phase\":\"http_request_firewall_managed\",\"rules\":[";

    api.post("/rulesets", ruleset + enabled + "]}").isError(400, 10301);
    var made = api.put(ENTRY_POINT, "{\"rules\":[" + disabled + "]}").isOk().result();
    String path = "/rulesets/" + made.get("id").stringValue();
    String rule = path + "/rules/" + made.get("rules").get(0).get("id").stringValue();
    api.send("PATCH", rule, "{\"enabled\":true}").isError(400, 10301);
    api.post(path + "/rules", enabled).isError(400, 10301);
    api.put(path, "{\"rules\":[" + enabled + "]}").isError(400, 10301);
    api.put(path, "{\"description\":\"y\"}").isOk();
    assertThat(api.get(ENTRY_POINT).isOk().result().get("rules").get(0).get("enabled").toString())
        .isEqualTo("false");

    migrate("pending").isOk();
    api.post(path + "/rules", enabled).isOk();
  }

  @Test
  void aDryRunOfDeletingAVersionDeletesNothing() {
    String id = api.put(ENTRY_POINT, "{\"rules\":[]}").isOk().result().get("id").stringValue();
    api.put(ENTRY_POINT, "{\"name\":\"y\",\"rules\":[]}").isOk();
    String version = "/rulesets/" + id + "/versions/1";

    assertThat(api.delete(version + "?dry_run=true").isOk().result().isNull()).isTrue();

    api.get(version).isOk();
    assertThat(api.delete(version).status()).isEqualTo(204);
    api.get(version).isError(404, 10001);
  }

  @Test
  void theNameOfAnEntryPointStays() {
    api.put(ENTRY_POINT, "{\"name\":\"x\",\"rules\":[]}").isOk();

    var again = api.put(ENTRY_POINT, "{\"name\":\"y\",\"rules\":[]}").isOk().result();

    assertThat(again.get("name").stringValue()).isEqualTo("x");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        """
        {"firewall_rules":[{"expression":"nonsense (","action":"bypass","products":["waf"]}]}
        """,
        "{\"page_rules\":[{\"url\":\"example.com/LONG\",\"waf\":\"off\"}]}",
      })
  void whatCouldNeverBeMigratedIsNotImported(String document) {
    String text = document.replace("LONG", "\\\\".repeat(1_000));

    assertThatThrownBy(() -> api.api.operator().importLegacy(api.zone.id(), text))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void overridesForSingleUrisMustBeDeletedFirst() {
    String id =
        api.post("/firewall/waf/overrides", "{\"urls\":[\"example.com/a\"]}")
            .isOk()
            .result()
            .get("id")
            .stringValue();

    assertThat(
            api.get("/waf_migration/check?phase_two=1").result().get("compatible").booleanValue())
        .isFalse();
    migrateWithoutRules().isError(400, 10301);
    api.delete("/firewall/waf/overrides/" + id).isOk();
    migrate("pending").isOk();
  }

  @Test
  void nothingIsOfferedThatTheEntryPointWouldBeRefusedFor() {
    api.post(
            "/firewall/rules",
            """
            [{"action":"bypass","products":["waf"],
              "filter":{"expression":"http.request.uri.path matches \\"^/a\\""}}]
            """)
        .isOk();
    api.get("/waf_migration/config?phase_two=1").isOk();

    api.api.operator().configure(api.zone.withMatchesAllowed(false));

    offersNothing();
    migrateWithoutRules().isError(400, 10301);
  }

  @Test
  void moreThanTwoHundredFirewallRulesAreTooMany() {
    importRules(201, "ssl");
    offersNothing();
    migrateWithoutRules().isError(400, 10301);
    assertThat(state()).contains("start");

    importRules(200, "ssl");
    migrate("pending").isOk();
  }

  @Test
  void anExpressionOfMoreThanFourKibibytesIsTooLong() {
    importRules(1, "x".repeat(4_097));
    offersNothing();
    migrateWithoutRules().isError(400, 10301);

    importRules(1, "x".repeat(4_096));
    migrate("pending").isOk();
  }

  @Test
  void rulesThatAreTooLongTogetherAreNotOffered() {
    // Each rule that follows the first repeats its condition.
    int accepted = 1;
    int refused = 700;
    while (refused - accepted > 1) {
      int count = (accepted + refused) / 2;
      importPageRules(count);
      if (isCompatible()) {
        accepted = count;
      } else {
        refused = count;
      }
    }

    importPageRules(refused);
    offersNothing();
    migrateWithoutRules().isError(400, 10301);

    importPageRules(accepted);
    var rules = migrate("pending").isOk().result().get("rules");
    assertThat(Json.write(rules)).hasSizeGreaterThan((1 << 20) - 4_096);
  }

  private void importPageRules(int count) {
    StringJoiner rules = new StringJoiner(",", "{\"page_rules\":[", "]}");
    rules.add("{\"url\":\"example.com/" + "a".repeat(1_000) + "\",\"waf\":\"on\"}");
    for (int i = 0; i < count; i++) {
      rules.add("{\"url\":\"example.com/" + i + "\",\"waf\":\"off\"}");
    }
    api.api.operator().importLegacy(api.zone.id(), rules.toString());
  }

  private boolean isCompatible() {
    return api.get("/waf_migration/check?phase_two=1")
        .isOk()
        .result()
        .get("compatible")
        .booleanValue();
  }

  private ApiFixture.Answer migrateWithoutRules() {
    return api.put(
        "/rulesets/phases/http_request_firewall_managed/entrypoint"
            + "?waf_migration=pending&phase_two=1",
        "{\"rules\":[]}");
  }

  /** What a PUT would refuse is neither compatible nor offered. */
  private void offersNothing() {
    assertThat(isCompatible()).isFalse();
    api.get("/waf_migration/config?phase_two=1").isError(400, 10301);
  }

  @Test
  void zoneDecidesThoughABypassIsTooLongToMigrate() {
    String expression = "http.host eq \\\"" + "x".repeat(4_100) + "\\\"";
    api.api
        .operator()
        .importLegacy(
            api.zone.id(),
            "{\"firewall_rules\":[{\"expression\":\""
                + expression
                + "\",\"action\":\"bypass\",\"products\":[\"waf\"]}]}");

    SiteRequest request =
        SiteRequest.of(
            "GET", "https://example.com/?q=<script>alert(1)</script>", Map.of(), "192.0.2.1");
    assertThat(api.api.firewall().decide(api.zone.id(), request).action())
        .isEqualTo(FirewallAction.CHALLENGE);
  }

  private void importRules(int count, String expression) {
    StringJoiner rules = new StringJoiner(",", "{\"firewall_rules\":[", "]}");
    for (int i = 0; i < count; i++) {
      rules.add("{\"expression\":\"" + expression + "\",\"action\":\"block\"}");
    }
    api.api.operator().importLegacy(api.zone.id(), rules.toString());
  }

  @Test
  void whatWasImportedIsShownAndMigrated() {
    api.api
        .operator()
        .importLegacy(
            api.zone.id(),
            """
            {"packages":{"owasp":{"sensitivity":"high","action_mode":"simulate"}},
             "page_rules":[{"url":"example.com/up/*","waf":"off"}]}
            """);

    assertThat(
            api.get("/firewall/waf/packages")
                .isOk()
                .result()
                .get(1)
                .get("sensitivity")
                .stringValue())
        .isEqualTo("high");
    assertThat(configuration()).contains("skip").contains("\"log\"");
    assertThatThrownBy(() -> api.api.operator().importLegacy(api.zone.id(), "{\"waf\":3}"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void whatIsNullInAnImportIsAbsent() {
    for (String packages : List.of("null", "{\"managed\":null,\"owasp\":null}")) {
      api.api.operator().importLegacy(api.zone.id(), "{\"packages\":" + packages + "}");
      assertThat(api.get("/firewall/waf/packages").isOk().result()).hasSize(2);
    }
  }

  @Test
  void aDryRunChangesNothing() {
    String body = configuration();

    var tried = api.put(ENTRY_POINT + "?phase_two=1&waf_migration=pending&dry_run=true", body);

    assertThat(tried.isOk().result().isNull()).isTrue();
    assertThat(state()).contains("start");
    api.get(ENTRY_POINT).isError(404, 10003);
  }

  @Test
  void rulesKeepTheirVersionsUntilTheyChange() {
    var first = migrate("pending").isOk().result();
    String id = first.get("id").stringValue();
    String rule = first.get("rules").get(0).get("id").stringValue();

    var changed =
        api.send("PATCH", "/rulesets/" + id + "/rules/" + rule, "{\"enabled\":false}")
            .isOk()
            .result();

    assertThat(changed.get("version").stringValue()).isEqualTo("2");
    assertThat(changed.get("rules").get(0).get("version").stringValue()).isEqualTo("2");
    assertThat(changed.get("rules").get(1).get("version").stringValue()).isEqualTo("1");
    assertThat(api.get("/rulesets/" + id + "/versions").isOk().result()).hasSize(2);
    assertThat(api.get(ENTRY_POINT + "/versions/1").isOk().result()).isEqualTo(first);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'action':'execute','expression':'true'} | 20113 | /rules/0/action_parameters",
        "{'action':'block','expression':''} | 20125 | /rules/0/expression",
        "{'action':'block','expression':'x eq 1'} | 20127 | /rules/0/expression",
        "{'action':'block','expression':'true','logging':{}} | 20018 | /rules/0/logging",
        "{'action':'allow','expression':'true'} | 20119 | /rules/0/action",
        "{'action':'block','expression':'true','bic':1} | 10002 | /rules/0/bic",
        "{'action':'execute','expression':'true','action_parameters':{'id':'x'}} | 20015 |"
            + " /rules/0/action_parameters/id",
      })
  void wrongRulesArePointedAt(String rule, int code, String pointer) {
    String body = "{\"name\":\"x\",\"rules\":[" + rule.replace('\'', '"') + "]}";

    var refused = api.put(ENTRY_POINT, body).isError(400, code);

    assertThat(refused.json().get("errors").get(0).get("source").get("pointer").stringValue())
        .isEqualTo(pointer);
  }
}
