package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.ApiFixture.Answer;
import dev.holdfast.http.object.Permission;
import dev.holdfast.http.object.Plan;
import dev.holdfast.http.object.ZoneProfile;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Every error of the API, one row each, over HTTP. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ErrorTableTest {

  private static final String NO_ID = "0".repeat(32);
  private static final String MANAGED = "/rulesets/phases/http_request_firewall_managed/entrypoint";
  private static final String COOKIE = "x".repeat(100_000);
  private static final String POLICY =
      "{'description':'x','action':'log','expression':'true','enabled':true,'value':'%s'}";

  /**
   * A request and its refusal.
   *
   * @param request method and path: below the zone, unless it begins with {@code /v4}
   * @param body the body, with single quotes; empty for none
   * @param headers other headers than those of the token; separated by a line break
   * @param status the status
   * @param codes the code; of the errors if there are two; after an arrow that of the cause
   * @param says a part of the message
   * @param pointer where in the body; empty for nowhere
   */
  record Row(
      String request,
      String body,
      String headers,
      int status,
      String codes,
      String says,
      String pointer) {
    @Override
    public String toString() {
      String shown = body.length() > 1_000 ? body.length() + " characters" : body;
      return status + " " + codes + " " + request + " " + shown + headers;
    }
  }

  private static Row row(String request, String body, int status, String codes, String says) {
    return row(request, body, status, codes, says, "");
  }

  private static Row row(
      String request, String body, int status, String codes, String says, String pointer) {
    return new Row(request, body, "", status, codes, says, pointer);
  }

  private static Row auth(String headers, int status, String codes, String says) {
    return new Row("GET /filters", "", headers, status, codes, says, "");
  }

  private static Row rules(String rules, String code, String says, String pointer) {
    return row("PUT " + MANAGED, "{'rules':[" + rules + "]}", 400, code, says, pointer);
  }

  static final List<Row> ROWS =
      List.of(
          // Authentication.
          auth(
              "X-Other\n1",
              400,
              "9106",
              "Missing X-Auth-Key, X-Auth-Email or Authorization headers"),
          auth("X-Auth-Email\na@b.example", 400, "9107", "Missing X-Auth-Key header"),
          auth("X-Auth-Key\n" + NO_ID, 400, "9106", "Missing X-Auth-Email header"),
          auth("Authorization\nBasic abc", 400, "6003>6111", "Invalid request headers"),
          auth(
              "X-Auth-Email\na\nX-Auth-Key\n" + NO_ID, 400, "6003>6102", "Invalid request headers"),
          auth(
              "X-Auth-Email\na@b.example\nX-Auth-Key\nx",
              400,
              "6003>6103",
              "Invalid request headers"),
          auth("Authorization\nBearer hf_0123456789abcdef_00", 403, "9109", "Invalid access token"),
          auth("Authorization\nBearer somebody-elses-token", 403, "9109", "Invalid access token"),
          auth(
              "X-Auth-Email\na@b.example\nX-Auth-Key\n" + NO_ID,
              403,
              "9103",
              "Unknown X-Auth-Key or X-Auth-Email"),
          auth("Authorization\nBearer READER", 403, "10000", "Authentication error"),
          auth(
              "Authorization\nBearer ELSEWHERE",
              403,
              "9109",
              "Unauthorized to access requested resource"),
          // What is asked for.
          row(
              "GET /v4/zones/xyz/filters",
              "",
              404,
              "7003,7000",
              "Could not route to /zones/xyz/filters, perhaps your object identifier is invalid?"),
          row("GET /v4/zones/" + NO_ID + "/filters", "", 404, "7003,7000", "Could not route to"),
          row("GET /nothing", "", 404, "7003,7000", "Could not route to"),
          row("GET /v4/nothing", "", 404, "7003,7000", "Could not route to /nothing"),
          row("POST /page_monitor", "{}", 405, "10405", "Method not allowed"),
          // What is sent.
          row("POST /filters", "", 400, "10002", "the body is empty"),
          row("POST /filters", "[{", 400, "10002", "invalid JSON"),
          row("POST /filters", "7", 400, "10002", "expected an array"),
          row("POST /filters", "[]", 400, "10002", "1 to 200 items"),
          row("POST /filters", "[{}]", 400, "10002", "missing field", "/0/expression"),
          row(
              "POST /filters",
              "[{'expression':'ssl','paused':'no'}]",
              400,
              "10002",
              "boolean",
              "/0/paused"),
          row(
              "PUT /page_monitor",
              "{'enabled':'yes'}",
              400,
              "10002",
              "expected a boolean",
              "/enabled"),
          row("GET /page_monitor/scripts?page=0", "", 400, "10004", "page must be"),
          row(
              "GET /page_monitor/scripts?per_page=101",
              "",
              400,
              "10004",
              "per_page must be a whole number from 1 to 100"),
          row(
              "GET /page_monitor/scripts?page=all&per_page=0",
              "",
              400,
              "10004",
              "per_page must be"),
          row("GET /page_monitor/scripts?status=new", "", 400, "10004", "status must be"),
          row("GET /page_monitor/scripts?order_by=url", "", 400, "10004", "order_by must be"),
          row("GET /page_monitor/scripts?direction=up", "", 400, "10004", "direction must be"),
          row(
              "GET /page_monitor/scripts?prioritize_malicious=1",
              "",
              400,
              "10004",
              "prioritize_malicious must be"),
          row(
              "GET /page_monitor/scripts?exclude_duplicates=1",
              "",
              400,
              "10004",
              "exclude_duplicates must be"),
          row(
              "GET /page_monitor/connections?exclude_cdn_cgi=1",
              "",
              400,
              "10004",
              "exclude_cdn_cgi must be"),
          row("GET /page_monitor/connections?export=pdf", "", 400, "10004", "export must be csv"),
          row("GET /page_monitor/cookies?secure=maybe", "", 400, "10004", "secure must be"),
          row("GET /page_monitor/cookies?http_only=1", "", 400, "10004", "http_only must be"),
          row("GET /page_monitor/cookies?same_site=loose", "", 400, "10004", "same_site must be"),
          row("GET /page_monitor/cookies?type=third_party", "", 400, "10004", "type must be"),
          row(
              "GET /page_monitor/cookies?path=" + "x".repeat(1_025),
              "",
              400,
              "10004",
              "path must be"),
          row("GET /page_monitor/cookies?export=csv&page=1", "", 400, "10004", "export must be"),
          row("GET /page_monitor/cookies?hosts=%ff", "", 400, "10004", "the query must be"),
          row(
              "GET /filters?per_page=4",
              "",
              400,
              "10004",
              "per_page must be a whole number from 5 to 100"),
          row("GET /firewall/rules?action=explode", "", 400, "10004", "action must be"),
          row("GET /waf_migration/check", "", 400, "10004", "phase_two must be 1"),
          row("GET /waf_migration/config?phase_two=2", "", 400, "10004", "phase_two must be 1"),
          row(
              "PUT " + MANAGED + "?waf_migration=3&phase_two=1",
              "{'rules':[]}",
              400,
              "10004",
              "waf_migration must be"),
          row("PUT " + MANAGED + "?dry_run=maybe", "{'rules':[]}", 400, "10004", "dry_run must be"),
          row("POST /filters", "LONG", 413, "10006", "longer than 1048576 bytes"),
          // What is not there.
          row("GET /page_monitor/scripts/" + NO_ID, "", 404, "10001", "Could not find script"),
          row(
              "GET /page_monitor/connections/" + NO_ID,
              "",
              404,
              "10001",
              "Could not find connection"),
          row("GET /page_monitor/cookies/" + NO_ID, "", 404, "10001", "Could not find cookie"),
          row("GET /page_monitor/policies/" + NO_ID, "", 404, "10001", "Could not find Policy"),
          row("PUT /page_monitor/policies/" + NO_ID, "{}", 404, "10001", "Could not find Policy"),
          row("DELETE /page_monitor/policies/" + NO_ID, "", 404, "10001", "Could not find Policy"),
          row("GET /filters/" + NO_ID, "", 404, "10001", "filter not found"),
          row("DELETE /filters/" + NO_ID, "", 404, "10001", "filter not found"),
          row("GET /firewall/rules/" + NO_ID, "", 404, "10001", "firewallrules.api.not_found"),
          row("DELETE /firewall/rules/" + NO_ID, "", 404, "10001", "firewallrules.api.not_found"),
          row("GET /rulesets/" + NO_ID, "", 404, "10001", "could not find ruleset"),
          row("GET /rulesets/phases/nothing/entrypoint", "", 404, "10001", "unknown phase"),
          row("GET /firewall/waf/packages/" + NO_ID, "", 404, "10001", "could not find package"),
          row("DELETE /firewall/waf/overrides/" + NO_ID, "", 404, "10001", "could not find"),
          row(
              "GET /rulesets/phases/http_ratelimit/entrypoint",
              "",
              404,
              "10003",
              "could not find entrypoint ruleset in the http_ratelimit phase"),
          // Filters, rules, policies.
          row(
              "POST /filters",
              "[{'expression':'ip.src=='}]",
              400,
              "10101",
              "Filter parsing error (1:9)",
              "/0/expression"),
          row(
              "GET /v4/filters/validate-expr?expression=ip.src==34",
              "",
              400,
              "10101",
              "couldn't parse address in network: invalid IP address syntax"),
          row(
              "POST /page_monitor/policies",
              POLICY.formatted("x").replace("'true'", "'tru'"),
              400,
              "10101",
              "unknown identifier",
              "/expression"),
          row(
              "POST /filters",
              "[{'expression':'ssl'},{'expression':'ssl'}]",
              400,
              "10102",
              "duplicates",
              "/1/expression"),
          row(
              "POST /filters",
              "[{'expression':'not ssl or http.cookie matches `x{90}`'}]",
              400,
              "10102",
              "config duplicates an already existing config",
              "/0/expression"),
          row(
              "POST /page_monitor/policies",
              POLICY.formatted("script-src self.example"),
              400,
              "10103",
              "exceeded the maximum number of rules in the phase http_response_page_shield: 2 out"
                  + " of 1"),
          row("DELETE /filters/USED", "", 400, "10104", "is used by firewall rules"),
          row(
              "POST /page_monitor/policies",
              POLICY.formatted("script-src; report-uri /x"),
              400,
              "10105",
              "directive report-uri is not supported",
              "/value"),
          row(
              "POST /page_monitor/policies",
              POLICY.formatted("script-src " + "a.".repeat(8_000)),
              400,
              "10105",
              "a source is longer than 1024 characters",
              "/value"),
          row(
              "POST /page_monitor/policies",
              POLICY.formatted("script-src" + " a".repeat(1_000)),
              400,
              "10105",
              "more than 1000 directives and sources",
              "/value"),
          row(
              "POST /page_monitor/headers",
              "{'url':'https://example.com/','fields':{'http.cookie':'%s'},'response_headers':{'content-type':'text/html'}}"
                  .formatted(COOKIE),
              400,
              "10106",
              "takes more work than is allowed"),
          row(
              "POST /firewall/rules",
              "[{'action':'block','filter':{'expression':'ip.src in'}}]",
              400,
              "10202",
              "filter at index 0: Filter parsing error",
              "/0/filter/expression"),
          row(
              "POST /firewall/rules",
              "[{'action':'block','filter':{'id':'" + NO_ID + "'}}]",
              400,
              "10202",
              "filter at index 0: filter not found",
              "/0/filter/id"),
          row(
              "POST /firewall/rules",
              "[{'action':'block','filter':{'expression':'not ssl or http.cookie matches"
                  + " `x{90}`'}}]",
              400,
              "10102",
              "config duplicates",
              "/0/filter/expression"),
          row(
              "POST /firewall/rules",
              "[{'action':'explode','filter':{'expression':'ssl'}}]",
              400,
              "10002",
              "unknown variant for action: explode",
              "/0/action"),
          row(
              "POST /firewall/rules",
              "[{'action':'bypass','filter':{'expression':'ssl'}}]",
              400,
              "10002",
              "products",
              "/0/products"),
          row(
              "POST /firewall/rules",
              "[{'action':'block','priority':-1,'filter':{'expression':'ssl'}}]",
              400,
              "10002",
              "whole number",
              "/0/priority"),
          row(
              "POST /firewall/rules",
              "[{'action':'block','filter':{'expression':'ip.src eq 192.0.2.1'}}]",
              400,
              "10203",
              "exceeded the maximum number of firewall rules: 2 out of 1",
              "/0"),
          row(
              "POST /firewall/rules",
              "[{'action':'log','filter':{'expression':'ssl'}}]",
              400,
              "10204",
              "not entitled",
              "/0/action"),
          row(
              "POST /filters",
              "[{'expression':'http.host matches `a`'}]".replace('`', '~'),
              400,
              "10101",
              "Filter parsing error",
              "/0/expression"),
          // Rulesets.
          rules(
              "{'action':'execute','expression':'true'}",
              "20113",
              "action parameters are required for the execute action",
              "/rules/0/action_parameters"),
          rules(
              "{'action':'block','expression':''}",
              "20125",
              "'' is not a valid value for expression because the expression cannot be blank",
              "/rules/0/expression"),
          rules(
              "{'action':'block','expression':'x'}",
              "20127",
              "'x' is not a valid value for expression because could not parse filter expression:"
                  + " Filter parsing error (1:1)",
              "/rules/0/expression"),
          rules(
              "{'action':'block','expression':'true','logging':{'enabled':true}}",
              "20018",
              "logging",
              "/rules/0/logging"),
          rules(
              "{'action':'allow','expression':'true'}",
              "20119",
              "unknown variant for action: allow",
              "/rules/0/action"),
          rules(
              "{'action':'execute','expression':'true','action_parameters':{'id':'x'}}",
              "20015",
              "not a valid ruleset id",
              "/rules/0/action_parameters/id"),
          rules(
              "{'action':'execute','expression':'true','action_parameters':{'id':'"
                  + NO_ID
                  + "','overrides':{'rules':[{'id':'x'}]}}}",
              "20021",
              "not a valid rule id",
              "/rules/0/action_parameters/overrides/rules/0/id"),
          rules(
              "{'action':'block','expression':'true','bic':true}",
              "10002",
              "unknown field \"bic\"",
              "/rules/0/bic"),
          rules(
              ("{'action':'block','expression':'true'},".repeat(1_001) + "#").replace(",#", ""),
              "20111",
              "exceeded the maximum number of rules in the phase http_request_firewall_managed:"
                  + " 1001 out of 1000",
              "/rules"),
          row(
              "POST /rulesets",
              "{'name':'x','kind':'zone','phase':'http_request_firewall_custom','rules':[]}",
              400,
              "20217",
              "'zone' is not a valid value for kind because exceeded maximum number of zone"
                  + " rulesets for phase http_request_firewall_custom",
              "/kind"),
          row(
              "DELETE /rulesets/CUSTOM/versions/1",
              "",
              400,
              "20214",
              "latest version cannot be deleted"),
          row(
              "POST /rulesets/CUSTOM/rules",
              "{'action':'block','expression':'true','position':{'after':'x'}}",
              400,
              "10002",
              "no other rule",
              "/position/after"),
          // The migration.
          row(
              "PUT " + MANAGED + "?waf_migration=validation&phase_two=1",
              "{'rules':[]}",
              400,
              "10301",
              "validation needs an Enterprise plan"),
          row(
              "PUT /rulesets/phases/http_ratelimit/entrypoint?waf_migration=1&phase_two=1",
              "{'rules':[]}",
              400,
              "10301",
              "waf_migration"));

  private ApiFixture api;
  private String used = "";
  private String custom = "";
  private String reader = "";
  private String elsewhere = "";

  @BeforeAll
  void start(@TempDir Path directory) {
    api = new ApiFixture(directory);
    String other = api.zone.id();
    elsewhere = api.api.operator().createToken(List.of(other), Permission.OF_ZONES);
    reader = api.api.operator().createToken(List.of(), List.of(Permission.PAGE_MONITOR_READ));
    fillZone();
  }

  /** A zone below Enterprise, with all that its quotas allow: what is refused changes nothing. */
  private void fillZone() {
    ZoneProfile zone = api.newZone(Plan.PRO);
    api.api.operator().configure(zone.withFirewallRulesMax(1).withPoliciesMax(1));
    String policy =
        POLICY
            .replace("'true'", "'not ssl or http.cookie matches `x{90}`'")
            .formatted("script-src self.example");
    api.post("/page_monitor/policies", policy.replace('\'', '"').replace("`", "\\\"")).isOk();
    String rule =
        "[{\"action\":\"block\",\"filter\":{\"expression\":\"not ssl or http.cookie matches"
            + " \\\"x{90}\\\"\"}}]";
    used = api.post("/firewall/rules", rule).isOk().result().at("/0/filter/id").stringValue();
    custom =
        api.put("/rulesets/phases/http_request_firewall_custom/entrypoint", "{\"rules\":[]}")
            .isOk()
            .result()
            .get("id")
            .stringValue();
  }

  @AfterAll
  void stop() {
    api.close();
  }

  @ParameterizedTest
  @FieldSource("ROWS")
  void isRefused(Row row) {
    boolean writes = !row.request().startsWith("GET");
    String before = writes ? everything() : "";

    Answer answer = send(row);

    String[] codes = row.codes().split("[,>]", -1);
    answer.isError(row.status(), Integer.parseInt(codes[0]));
    var error = answer.json().get("errors").get(0);
    assertThat(error.get("message").stringValue()).contains(row.says());
    assertThat(error.at("/source/pointer").asString("")).isEqualTo(row.pointer());
    if (row.codes().contains(",")) {
      assertThat(answer.json().at("/errors/1/code").intValue()).isEqualTo(7000);
      assertThat(answer.json().at("/errors/1/message").stringValue())
          .isEqualTo("No route for that URI");
    }
    if (row.codes().contains(">")) {
      assertThat(error.at("/error_chain/0/code").intValue()).isEqualTo(Integer.parseInt(codes[1]));
      assertThat(error.at("/error_chain/0/message").stringValue())
          .startsWith("Invalid format for ");
    }
    if (row.codes().equals("10102") && row.says().contains("already")) {
      assertThat(error.at("/meta/id").stringValue()).isEqualTo(used);
    }
    if (row.status() == 405) {
      assertThat(answer.header("Allow")).isPresent();
    }
    assertThat(answer.json().get("messages")).isEmpty();
    // The law's one exception: over the quota the filter is made.
    if (writes && !row.codes().equals("10203")) {
      assertThat(everything()).isEqualTo(before);
    }
  }

  private Answer send(Row row) {
    String[] request = row.request().replace("USED", used).replace("CUSTOM", custom).split(" ", 2);
    boolean whole = request[1].startsWith("/v4") || request[1].startsWith("/nothing");
    String path = whole ? request[1] : "/v4/zones/" + api.zone.id() + request[1];
    String body = row.body().equals("LONG") ? " ".repeat((1 << 20) + 1) : row.body();
    String[] headers =
        row.headers().isEmpty()
            ? new String[] {"Authorization", "Bearer " + api.token}
            : row.headers()
                .replace("READER", reader)
                .replace("ELSEWHERE", elsewhere)
                .split("\n", -1);
    boolean bodied = !body.isEmpty() || request[0].matches("POST|PUT|PATCH");
    return api.raw(
        request[0],
        path,
        bodied ? body.replace('\'', '"').replace('~', '\'').replace("`", "\\\"") : null,
        headers);
  }

  /** What a refused request could have changed. */
  private String everything() {
    return Stream.of(
            "/filters",
            "/firewall/rules",
            "/page_monitor/policies",
            "/page_monitor",
            "/rulesets",
            "/waf_migration/status",
            "/firewall/waf/overrides")
        .map(path -> api.get(path).isOk().result().toString())
        .reduce("", String::concat);
  }

  @Test
  void aDefectIsAnsweredWithoutAStackTrace(@TempDir Path directory) {
    try (ApiFixture broken =
        new ApiFixture(
            directory,
            Plan.FREE,
            options ->
                options.withFeed(
                    url -> {
                      throw new IllegalStateException("a defect");
                    }))) {
      broken.put("/page_monitor", "{\"enabled\":true}").isOk();
      broken.reportScript("http://example.com/", "http://a.example/x.js");

      Answer answer = broken.get("/page_monitor/scripts?status=infrequent").isError(500, 10013);

      assertThat(answer.message()).isEqualTo("Internal error");
      assertThat(answer.response().body()).doesNotContain("Exception", "defect", "at dev.");
    }
  }

  @Test
  void whatIsGoneAfterTheMigrationSaysSo(@TempDir Path directory) {
    try (ApiFixture migrated = new ApiFixture(directory, Plan.PRO)) {
      migratesAndIsGone(migrated);
    }
  }

  private static void migratesAndIsGone(ApiFixture api) {
    String rules = "{\"rules\":[]}";
    api.put(MANAGED + "?waf_migration=pending&phase_two=1", rules).isOk();

    for (String path :
        List.of(
            "/firewall/waf/packages",
            "/firewall/waf/packages/" + NO_ID + "/groups",
            "/firewall/waf/packages/" + NO_ID + "/rules",
            "/firewall/waf/overrides",
            "/waf_migration/config?phase_two=1")) {
      api.get(path).isError(410, 10020);
    }
    api.put(MANAGED + "?waf_migration=1&phase_two=1", rules).isError(400, 10301);
  }

  /** Each code that the document names is in a row, or in one of the tests that are named here. */
  @Test
  void everyDocumentedCodeIsTested() {
    Set<String> tested = new HashSet<>();
    ROWS.forEach(row -> tested.addAll(List.of(row.codes().split("[,>]", -1))));
    // ServerTest has 10005 and 10429, RequestBodyTest 10415; here are 10013 and 10020.
    tested.addAll(List.of("10005", "10415", "10429", "10013", "10020"));
    Set<String> documented = new TreeSet<>();
    Matcher codes =
        Pattern.compile("\\b[0-9]{4,5}\\b")
            .matcher(ApiDocument.document().at("/info/description").stringValue());
    while (codes.find()) {
      documented.add(codes.group());
    }

    assertThat(documented).hasSizeGreaterThan(20);
    assertThat(tested).containsAll(documented);
  }
}
