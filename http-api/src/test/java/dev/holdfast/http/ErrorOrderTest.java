package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.ApiFixture.Answer;
import dev.holdfast.http.object.Plan;
import dev.holdfast.http.object.ZoneProfile;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Which of several mistakes in one request is named: clients and their tests know the first one.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ErrorOrderTest {

  private static final String NO_ID = "0".repeat(32);
  private static final String MANAGED = "/rulesets/phases/http_request_firewall_managed/entrypoint";
  private static final String CUSTOM = "/rulesets/phases/http_request_firewall_custom/entrypoint";
  private static final String CORE = "/firewall/waf/packages/c504870194831cd12c3fc0284f294abb";
  private static final String OTHER = "/firewall/waf/packages/1e334934fd7ae32ad705667f8c1057aa";
  private static final String NO_PACKAGE = "/firewall/waf/packages/" + NO_ID;
  private static final String LONG = "x".repeat(1_025);
  private static final String WRONG_RULE =
      "{'rules':[{'action':'block','expression':'nothing eq 1'}]}";

  private ApiFixture api;
  private ZoneProfile zone;
  private ZoneProfile migrated;
  private String filter;
  private String rule;
  private String ruleset;

  /**
   * A request with several mistakes, and the one that is named.
   *
   * @param request method and path below the zone; with the words FILTER, RULE and RULESET
   * @param body the body, with single quotes; empty for none
   * @param status the status
   * @param says a part of the message
   */
  record Row(String request, String body, int status, String says) {
    @Override
    public String toString() {
      String shown = request.length() > 200 ? request.substring(0, 200) : request;
      return shown + " " + body + " " + says;
    }
  }

  private static Row row(String request, int status, String says) {
    return row(request, "", status, says);
  }

  private static Row row(String request, String body, int status, String says) {
    return new Row(request, body, status, says);
  }

  static final List<Row> ROWS =
      List.of(
          // Parameters of lists.
          row("GET /page_monitor/cookies?secure=maybe&status=new", 400, "status"),
          row("GET /page_monitor/cookies?per_page=0&status=new", 400, "status"),
          row("GET /page_monitor/cookies?order_by=x&status=new", 400, "status"),
          row("GET /page_monitor/cookies?direction=x&order_by=x", 400, "order_by"),
          row("GET /page_monitor/cookies?page_url=%25ff&direction=x", 400, "direction"),
          row("GET /page_monitor/cookies?page_url=%25ff&name=" + LONG, 400, "name"),
          row("GET /page_monitor/cookies?secure=x&name=" + LONG, 400, "name"),
          row("GET /page_monitor/cookies?secure=x&page_url=%25ff", 400, "the query"),
          row("GET /page_monitor/cookies?http_only=x&secure=x", 400, "secure"),
          row("GET /page_monitor/cookies?same_site=x&http_only=x", 400, "http_only"),
          row("GET /page_monitor/cookies?type=x&same_site=x", 400, "same_site"),
          row("GET /page_monitor/cookies?type=x&path=" + LONG, 400, "type"),
          row("GET /page_monitor/cookies?domain=" + LONG + "&path=" + LONG, 400, "path"),
          row("GET /page_monitor/cookies?export=pdf&domain=" + LONG, 400, "domain"),
          row("GET /page_monitor/cookies?per_page=0&domain=" + LONG, 400, "domain"),
          row("GET /page_monitor/cookies?per_page=0&export=pdf", 400, "export must be csv"),
          row("GET /page_monitor/cookies?per_page=0&export=csv", 400, "export must be without"),
          row("GET /page_monitor/cookies?page=0&per_page=0", 400, "per_page"),
          row("GET /page_monitor/scripts?direction=x&status=new", 400, "status"),
          row("GET /page_monitor/scripts?page_url=%25ff&direction=x", 400, "direction"),
          row("GET /page_monitor/scripts?urls=%25ff&order_by=x", 400, "order_by"),
          row("GET /page_monitor/scripts?exclude_cdn_cgi=x&urls=%25ff", 400, "the query"),
          row("GET /page_monitor/scripts?exclude_cdn_cgi=x&page_url=%25ff", 400, "the query"),
          row(
              "GET /page_monitor/scripts?prioritize_malicious=x&exclude_cdn_cgi=x",
              400,
              "exclude_cdn_cgi"),
          row(
              "GET /page_monitor/scripts?exclude_duplicates=x&prioritize_malicious=x",
              400,
              "prioritize_malicious"),
          row("GET /page_monitor/scripts?export=pdf&exclude_duplicates=x", 400, "exclude_dupl"),
          row("GET /page_monitor/scripts?per_page=0&export=pdf&status=new", 400, "status"),
          row("GET /page_monitor/scripts?per_page=0&export=pdf", 400, "export must be csv"),
          row("GET /page_monitor/connections?page=0&per_page=0", 400, "per_page"),
          row("GET /page_monitor/policies/NO/violations?per_page=0", 404, "Could not find Policy"),
          row("GET /filters?page=0&paused=x", 400, "paused"),
          row("GET /filters?per_page=0&page=0", 400, "page must"),
          row("GET /firewall/rules?paused=x&action=x", 400, "action"),
          row("GET /firewall/rules?page=0&paused=x", 400, "paused"),
          row("GET /firewall/waf/packages?page=0&direction=x&order=name", 400, "direction"),
          row("GET /firewall/waf/packages?order=x&match=x", 400, "match"),
          row("GET /firewall/waf/packages?direction=x&order=x", 400, "order"),
          row("GET " + NO_PACKAGE + "/groups?match=x&page=0", 404, "could not find package"),
          row("GET " + NO_PACKAGE + "/groups?rules_count=x", 400, "rules_count"),
          row("GET " + NO_PACKAGE + "/rules?order=x", 404, "could not find package"),
          row("GET " + NO_PACKAGE + "/rules?mode=x", 400, "mode"),
          row("GET " + CORE + "/rules?page=0&order=x&mode=x", 400, "mode"),
          // An unknown item, and a wrong body or parameter.
          row("DELETE /firewall/rules/NO", "{'x':1}", 404, "not_found"),
          row("PATCH " + NO_PACKAGE, "{'x':1}", 404, "could not find package"),
          row("PATCH " + OTHER, "{'x':1}", 400, "only the core rule set"),
          row("PATCH " + NO_PACKAGE + "/groups/NO", "{'x':1}", 404, "could not find package"),
          row("PATCH " + CORE + "/groups/NO", "{'x':1}", 404, "could not find 0"),
          row("PATCH " + CORE + "/rules/NO", "{'x':1}", 404, "could not find 0"),
          row("PUT /firewall/waf/overrides/NO", "{'x':1}", 404, "could not find 0"),
          row("PUT /rulesets/NO?dry_run=x", "{'x':1}", 404, "could not find ruleset"),
          row("DELETE /rulesets/NO?dry_run=x", 404, "could not find ruleset"),
          row("DELETE /rulesets/RULESET/versions/7?dry_run=x", 404, "could not find version"),
          row("POST /rulesets/NO/rules?dry_run=x", "{'x':1}", 404, "could not find ruleset"),
          row("POST /rulesets/RULESET/rules?dry_run=x", "{'x':1}", 400, "unknown field"),
          row("PATCH /rulesets/NO/rules/NO?dry_run=x", "{'x':1}", 404, "could not find ruleset"),
          row("PATCH /rulesets/RULESET/rules/NO", "{'x':1}", 404, "could not find rule 0"),
          row("DELETE /rulesets/RULESET/rules/NO?dry_run=x", 404, "could not find rule 0"),
          row("PUT /rulesets/phases/x/entrypoint?dry_run=x", "{'x':1}", 404, "unknown phase"),
          row("PUT " + CUSTOM + "?dry_run=x", "{'x':1}", 400, "unknown field"),
          row("PUT " + CUSTOM + "?dry_run=x", "{}", 400, "dry_run"),
          // Members and parameters.
          row("PUT " + MANAGED + "?waf_migration=3&dry_run=x", WRONG_RULE, 400, "unknown ident"),
          row("PUT " + MANAGED + "?waf_migration=1", WRONG_RULE, 400, "unknown ident"),
          row("PUT " + MANAGED + "?waf_migration=3&dry_run=x", "{}", 400, "waf_migration must"),
          row("PUT " + CUSTOM + "?waf_migration=1", "{}", 400, "phase_two"),
          row("PUT " + CUSTOM + "?waf_migration=1&phase_two=1", "{}", 400, "a migration defines"),
          row("POST /rulesets?dry_run=x", "{}", 400, "missing field \"phase\""),
          row(
              "POST /rulesets?dry_run=x",
              "{'phase':'http_request_firewall_custom'}",
              400,
              "missing field \"kind\""),
          row(
              "POST /rulesets",
              "{'phase':'http_request_firewall_custom','kind':'zone'}",
              400,
              "exceeded maximum number of zone rulesets"),
          row(
              "POST /rulesets",
              "{'phase':'http_request_firewall_custom','kind':'custom','rules':"
                  + "[{'action':'block','expression':'nothing eq 1'}]}",
              400,
              "unknown ident"),
          row(
              "POST /rulesets?dry_run=x",
              "{'phase':'http_request_firewall_custom','kind':'custom'}",
              400,
              "missing field \"name\""),
          row(
              "POST /page_monitor/policies",
              "{'description':'x','action':'log','expression':'no no','enabled':true,'value':'x'}",
              400,
              "no"),
          // Several items.
          row("PUT /filters/FILTER", "{'id':'NO','expression':'no no'}", 400, "the id differs"),
          row("PUT /filters/NO", "{'expression':'no no'}", 404, "filter not found"),
          row(
              "PUT /filters",
              "[{'id':'FILTER','expression':'nothing'},{'id':'NO','expression':'ssl'}]",
              400,
              "unknown ident"),
          row(
              "PUT /filters",
              "[{'id':'NO','expression':'ssl'},{'expression':'ssl'}]",
              404,
              "filter not found"),
          row(
              "POST /firewall/rules",
              "[{'filter':{'expression':'nothing'}},{'action':'block'}]",
              400,
              "filter at index 0"),
          row(
              "POST /firewall/rules",
              "[{'filter':{'id':'NO'}},{'action':'block'}]",
              400,
              "filter at index 0: filter not found"),
          row(
              "POST /firewall/rules",
              "[{'filter':{'id':'FILTER'}},{'action':'block'}]",
              400,
              "missing field \"action\""),
          row(
              "POST /firewall/rules",
              "[{'filter':{'id':'FILTER'},'action':'bypass'},{'action':'block'}]",
              400,
              "products"),
          row(
              "POST /firewall/rules",
              "[{'action':'block'},{'filter':{'id':'NO'}}]",
              400,
              "missing field \"filter\""),
          row(
              "PUT /firewall/rules",
              "[{'id':'RULE','filter':{'id':'NO'}},{'id':'NO'}]",
              400,
              "filter not found"),
          row(
              "PUT /firewall/rules",
              "[{'id':'RULE','filter':{'id':'FILTER'}},{'id':'NO'}]",
              400,
              "missing field \"action\""),
          row("PUT /firewall/rules", "[{'id':'NO'},{'action':'log'}]", 404, "not_found"),
          row("PUT /firewall/rules/NO", "{}", 404, "not_found"),
          row("PUT /firewall/rules/RULE", "{'filter':{'id':'NO'}}", 400, "filter not found"),
          row(
              "PATCH /firewall/rules",
              "[{'id':'NO','priority':1},{'priority':1}]",
              404,
              "not_found"));

  /** A zone that has migrated: its previous managed rules are gone, whatever is asked of them. */
  static final List<Row> GONE =
      List.of(
          row("GET /firewall/waf/packages?match=x", 410, "gone"),
          row("GET /firewall/waf/packages?page=0", 410, "gone"),
          row("GET " + NO_PACKAGE, 410, "gone"),
          row("GET " + NO_PACKAGE + "/groups?rules_count=x", 410, "gone"),
          row("GET " + NO_PACKAGE + "/rules?mode=x", 410, "gone"),
          row("GET /firewall/waf/overrides?page=0", 410, "gone"),
          row("PATCH " + OTHER, "{'x':1}", 410, "gone"),
          row("PATCH " + CORE + "/groups/NO", "{'x':1}", 410, "gone"),
          row("PATCH " + CORE + "/rules/NO", "{'x':1}", 410, "gone"),
          row("POST /firewall/waf/overrides", "{'x':1}", 410, "gone"),
          row("PUT /firewall/waf/overrides/NO", "{'x':1}", 410, "gone"),
          row("GET /waf_migration/config", 400, "phase_two"),
          row("PUT /waf_migration/import", "{'x':1}", 400, "the migration of the zone has begun"));

  @BeforeAll
  void start(@TempDir Path directory) {
    api = new ApiFixture(directory);
    migrated = api.zone;
    String next = api.get("/waf_migration/config?phase_two=1").isOk().result().toString();
    api.put(MANAGED + "?phase_two=1&waf_migration=1", next).isOk();
    zone = api.newZone(Plan.ENTERPRISE);
    filter = id(api.post("/filters", "[{\"expression\":\"ssl\"}]").isOk(), "/result/0/id");
    rule =
        id(
            api.post(
                    "/firewall/rules",
                    "[{\"filter\":{\"id\":\"" + filter + "\"},\"action\":\"block\"}]")
                .isOk(),
            "/result/0/id");
    api.put(CUSTOM, "{}").isOk();
    ruleset = id(api.get(CUSTOM), "/result/id");
  }

  @AfterAll
  void stop() {
    api.close();
  }

  private static String id(Answer answer, String pointer) {
    return answer.json().at(pointer).stringValue();
  }

  private Answer send(Row row) {
    String[] request = filled(row.request()).split(" ", 2);
    String body = row.body().isEmpty() ? null : filled(row.body()).replace('\'', '"');
    return api.raw(
        request[0],
        "/client/v4/zones/" + api.zone.id() + request[1],
        body,
        "Authorization",
        "Bearer " + api.token);
  }

  private String filled(String text) {
    return text.replace("RULESET", ruleset)
        .replace("RULE", rule)
        .replace("FILTER", filter)
        .replaceAll("\\bNO\\b", NO_ID);
  }

  private void check(Row row) {
    Answer answer = send(row);
    assertThat(answer.status()).as(answer.response().body()).isEqualTo(row.status());
    assertThat(answer.message()).contains(row.says());
  }

  @ParameterizedTest
  @FieldSource("ROWS")
  void mistakeThatIsNamedFirst(Row row) {
    api.zone = zone;
    check(row);
  }

  @ParameterizedTest
  @FieldSource("GONE")
  void rulesThatAreGone(Row row) {
    api.zone = migrated;
    check(row);
  }

  @Test
  void connectionsHaveNoDuplicatesToExclude() {
    api.zone = zone;
    api.get("/page_monitor/connections?exclude_duplicates=x").isOk();
  }
}
