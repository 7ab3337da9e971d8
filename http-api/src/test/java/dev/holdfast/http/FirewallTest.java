package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.object.Plan;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FirewallTest {

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

  private static String rule(String expression) {
    return "{\"filter\":{\"expression\":\"" + expression + "\"},\"action\":\"block\"}";
  }

  private String created(String path, String body) {
    return api.post(path, body).isOk().result().get(0).get("id").stringValue();
  }

  private List<String> ids(String path) {
    List<String> ids = new ArrayList<>();
    api.get(path).isOk().result().forEach(item -> ids.add(item.get("id").stringValue()));
    return ids;
  }

  @Test
  void aRuleIsMadeTogetherWithItsFilter() {
    JsonNode made =
        api.post("/firewall/rules", "[" + rule("ip.src eq 192.0.2.1") + "]").isOk().result().get(0);

    String filter = made.get("filter").get("id").stringValue();
    assertThat(made.get("priority").isNull()).isTrue();
    assertThat(made.get("paused").booleanValue()).isFalse();
    assertThat(api.get("/filters/" + filter).isOk().result().get("expression").stringValue())
        .isEqualTo("ip.src eq 192.0.2.1");
  }

  @Test
  void neitherIsMadeIfOneIsInvalid() {
    String good = rule("ip.src eq 192.0.2.1");

    var badFilter = api.post("/firewall/rules", "[" + good + "," + rule("ip.src eq 1") + "]");
    var badAction = api.post("/firewall/rules", "[" + good.replace("block", "explode") + "]");

    badFilter.isError(400, 10202);
    assertThat(badFilter.message()).startsWith("filter at index 1: Filter parsing error (1:11)");
    badAction.isError(400, 10002);
    assertThat(ids("/filters")).isEmpty();
    assertThat(ids("/firewall/rules")).isEmpty();
  }

  @Test
  void overTheQuotaTheFilterIsMadeAndTheRuleIsNot() {
    api.api.operator().configure(api.zone.withFirewallRulesMax(1));
    created("/firewall/rules", "[" + rule("ssl") + "]");

    var refused = api.post("/firewall/rules", "[" + rule("not ssl") + "]").isError(400, 10203);

    String filter =
        refused.json().get("errors").get(0).get("meta").get("filter").get("id").stringValue();
    assertThat(ids("/filters")).contains(filter).hasSize(2);
    assertThat(ids("/firewall/rules")).hasSize(1);
    api.api.operator().configure(api.zone);
    created("/firewall/rules", "[{\"filter\":{\"id\":\"" + filter + "\"},\"action\":\"block\"}]");
  }

  @Test
  void theSameExpressionAgainNamesTheFilterThatHasIt() {
    String id = created("/filters", "[{\"expression\":\"ssl\"}]");

    var again = api.post("/firewall/rules", "[" + rule("ssl") + "]").isError(400, 10102);

    assertThat(again.json().get("errors").get(0).get("meta").get("id").stringValue()).isEqualTo(id);
  }

  @Test
  void anExpressionTwiceInOneRequestNamesNoFilterThatIsNotThere() {
    var twice = api.post("/filters", "[{\"expression\":\"ssl\"},{\"expression\":\"ssl\"}]");

    twice.isError(400, 10102);
    assertThat(twice.json().get("errors").get(0).has("meta")).isFalse();
    assertThat(ids("/filters")).isEmpty();
  }

  @Test
  void aPriorityThatIsNotNamedStays() {
    String id =
        created(
            "/firewall/rules",
            "[" + rule("ssl").replace("{\"filter", "{\"priority\":7,\"filter") + "]");
    String path = "/firewall/rules/" + id;

    api.send("PATCH", path, "{}").isError(400, 10002);
    assertThat(api.get(path).isOk().result().get("priority").toString()).isEqualTo("7");
    api.send("PATCH", path, "{\"priority\":null}").isOk();
    assertThat(api.get(path).isOk().result().get("priority").isNull()).isTrue();
  }

  @Test
  void aFilterMadeWithARuleCannotBeChangedThroughTheRule() {
    JsonNode made = api.post("/firewall/rules", "[" + rule("ssl") + "]").isOk().result().get(0);
    String path = "/firewall/rules/" + made.get("id").stringValue();
    String filter = made.get("filter").get("id").stringValue();

    JsonNode changed =
        api.put(
                path,
                "{\"action\":\"allow\",\"filter\":{\"id\":\""
                    + filter
                    + "\",\"expression\":\"false\"}}")
            .isOk()
            .result();
    api.delete(path).isOk();

    assertThat(changed.get("filter").get("expression").stringValue()).isEqualTo("ssl");
    assertThat(ids("/filters")).containsExactly(filter);
  }

  @Test
  void aFilterInUseCannotBeDeleted() {
    JsonNode made = api.post("/firewall/rules", "[" + rule("ssl") + "]").isOk().result().get(0);
    String filter = made.get("filter").get("id").stringValue();

    api.delete("/filters/" + filter).isError(400, 10104);
    api.delete("/filters?id=" + filter).isError(400, 10104);

    var gone =
        api.send(
            "DELETE",
            "/firewall/rules/" + made.get("id").stringValue(),
            "{\"delete_filter_if_unused\":true}");
    assertThat(gone.isOk().result().get("filter").get("deleted").booleanValue()).isTrue();
    api.get("/filters/" + filter).isError(404, 10001);
  }

  @Test
  void aBulkUpdateIsAllOrNothing() {
    String first = created("/filters", "[{\"expression\":\"ssl\"}]");
    String body =
        "[{\"id\":\"%s\",\"expression\":\"not ssl\"},{\"id\":\"%s\",\"expression\":\"true\"}]"
            .formatted(first, "0".repeat(32));

    api.put("/filters", body).isError(404, 10001);

    assertThat(api.get("/filters/" + first).result().get("expression").stringValue())
        .isEqualTo("ssl");
  }

  @Test
  void aRuleWithoutAPriorityComesLast() {
    String plain = created("/firewall/rules", "[" + rule("ssl") + "]");
    String first = created("/firewall/rules", "[" + rule("true").replace("block", "allow") + "]");
    api.send("PATCH", "/firewall/rules/" + first, "{\"priority\":5}").isOk();
    String log =
        created(
            "/firewall/rules",
            "[" + rule("ip.src in {192.0.2.0/24}").replace("block", "log") + "]");
    api.send("PATCH", "/firewall/rules", "[{\"id\":\"" + log + "\",\"priority\":1}]").isOk();

    JsonNode result =
        api.post("/firewall/simulate", "{\"url\":\"https://example.com/\",\"ip\":\"192.0.2.9\"}")
            .isOk()
            .result();

    assertThat(result.get("action").stringValue()).isEqualTo("allow");
    assertThat(result.get("matched")).hasSize(2);
    assertThat(result.get("matched").get(0).get("rule_id").stringValue()).isEqualTo(log);
    assertThat(plain).isNotEqualTo(first);
  }

  @ParameterizedTest
  @CsvSource({
    "POST, /filters, '{', 400, 10002",
    "POST, /filters, '', 400, 10002",
    "POST, /filters, '[]', 400, 10002",
    "POST, /filters, '[1]', 400, 10002",
    "POST, /filters, '[{\"expression\":\"x\"}]', 400, 10101",
    "POST, /filters, '[{\"expression\":7}]', 400, 10002",
    "POST, /filters, '[{\"expression\":\"ssl\",\"expression\":\"true\"}]', 400, 10002",
    "POST, /filters, '[{\"expression\":\"ssl\",\"description\":\"\\ud800\"}]', 400, 10002",
    "GET, /filters?per_page=4, , 400, 10004",
    "GET, /filters?page=0, , 400, 10004",
    "GET, /filters?paused=perhaps, , 400, 10004",
    "GET, /filters/00000000000000000000000000000000, , 404, 10001",
    "GET, /firewall/rules/nothing, , 404, 10001",
    "PUT, /firewall/rules/00000000000000000000000000000000, '{}', 404, 10001",
    "POST, /firewall/rules, '[{\"action\":\"block\"}]', 400, 10002",
    "POST, /firewall/rules, '[{\"action\":\"bypass\",\"filter\":{\"expression\":\"ssl\"}}]', 400,"
        + " 10002",
    "POST, /firewall/rules, '[{\"action\":\"block\",\"filter\":{\"id\":\"x\"}}]', 400, 10202",
    "POST, /firewall/rules,"
        + " '[{\"action\":\"block\",\"priority\":-1,\"filter\":{\"expression\":\"ssl\"}}]', 400,"
        + " 10002",
    "PATCH, /filters, '[]', 405, 10405",
  })
  void wrongRequestsAreRefused(String method, String path, String body, int status, int code) {
    api.send(method, path, body).isError(status, code);
  }

  @Test
  void onlyEnterpriseMayLogAndRegularExpressionsMayBeForbidden() {
    var free = api.api.operator().createZone("example.org", Plan.FREE);
    api.api.operator().configure(free.withMatchesAllowed(false));
    String there = "/client/v4/zones/" + free.id();

    api.raw(
            "POST",
            there + "/firewall/rules",
            "[" + rule("ssl").replace("block", "log") + "]",
            "Authorization",
            "Bearer " + api.token)
        .isError(400, 10204);
    api.raw(
            "POST",
            there + "/filters",
            "[{\"expression\":\"http.host matches \\\"x\\\"\"}]",
            "Authorization",
            "Bearer " + api.token)
        .isError(400, 10101);
  }

  @Test
  void expressionsAreValidatedWithoutAZone() {
    String path = "/client/v4/filters/validate-expr";
    String bearer = "Bearer " + api.token;

    api.raw("GET", path + "?expression=ssl", null, "Authorization", bearer).isOk();
    api.raw("POST", path, "{\"expression\":\"ip.src==34\"}", "Authorization", bearer)
        .isError(400, 10101);
  }

  @Test
  void pagesPartitionTheList() {
    for (int i = 0; i < 12; i++) {
      created("/filters", "[{\"expression\":\"ip.src.asnum eq " + i + "\"}]");
    }
    List<String> all = ids("/filters?per_page=100");
    List<String> paged = new ArrayList<>();
    for (int page = 1; page <= 3; page++) {
      paged.addAll(ids("/filters?per_page=5&page=" + page));
    }

    var info = api.get("/filters?per_page=5&page=3").json().get("result_info");

    assertThat(paged).isEqualTo(all).hasSize(12);
    assertThat(info.toString())
        .isEqualTo("{\"page\":3,\"per_page\":5,\"count\":2,\"total_count\":12,\"total_pages\":3}");
    assertThat(ids("/filters?per_page=5&page=4")).isEmpty();
  }
}
