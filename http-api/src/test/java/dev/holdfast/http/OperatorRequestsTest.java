package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.ApiFixture.Answer;
import dev.holdfast.http.object.Permission;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Zones, plans, quotas, tokens and keys through the API, with an operator's token. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OperatorRequestsTest {

  private ApiFixture api;
  private String operator;

  @BeforeAll
  void start(@TempDir Path directory) {
    api = new ApiFixture(directory);
    operator = api.api.operator().createToken(List.of(), List.of(Permission.OPERATE));
  }

  @AfterAll
  void stop() {
    api.close();
  }

  private Answer send(String token, String method, String path, @Nullable String body) {
    String whole = "/client/v4" + path;
    Answer answer =
        api.raw(
            method,
            whole,
            body == null ? null : body.replace('\'', '"'),
            "Authorization",
            "Bearer " + token);
    assertThat(ApiDocument.mistakes(method, whole, answer.status(), answer.response().body()))
        .as(method + " " + whole + " " + answer.response().body())
        .isEmpty();
    return answer;
  }

  private Answer send(String method, String path, @Nullable String body) {
    return send(operator, method, path, body);
  }

  private static String text(Answer answer, String member) {
    return answer.isOk().result().get(member).stringValue();
  }

  @Test
  void zonesAreCreatedAndTheirQuotasHold() {
    Answer created = send("POST", "/zones", "{'name':'shop.example','plan':'free'}");
    String id = text(created, "id");
    assertThat(created.result().get("firewall_rules_max").intValue()).isEqualTo(5);
    assertThat(send("GET", "/zones", null).result().findValuesAsString("id")).contains(id);

    String profile = "/zones/" + id + "/profile";
    JsonNode changed =
        send("PUT", profile, "{'name':'shop.example','plan':'pro','firewall_rules_max':1}")
            .isOk()
            .result();
    assertThat(send("GET", profile, null).isOk().result()).isEqualTo(changed);
    assertThat(send("PUT", profile, changed.toString()).isOk().result()).isEqualTo(changed);

    String rules = "/zones/" + id + "/firewall/rules";
    String rule = "[{'action':'block','filter':{'expression':'ssl'}}]";
    send(api.token, "POST", rules, rule).isOk();
    send(api.token, "POST", rules, rule.replace("ssl", "not ssl")).isError(400, 10203);
  }

  @Test
  void previousManagedRulesAreImported() {
    String path = "/zones/" + text(send("POST", "/zones", "{'name':'a.example'}"), "id");

    send("PUT", path + "/waf_migration/import", "{'packages':{'owasp':{'sensitivity':'high'}}}")
        .isOk();
    Answer refused = send("PUT", path + "/waf_migration/import", "{'packages':7}");
    refused.isError(400, 10002);

    Answer seen =
        send(
            api.token,
            "GET",
            path + "/firewall/waf/packages/c504870194831cd12c3fc0284f294abb",
            null);
    assertThat(text(seen, "sensitivity")).isEqualTo("high");
  }

  @Test
  void tokensAreCreatedListedRenewedExpiredAndRevoked() {
    String body =
        "{'zones':['%s'],'permissions':['page_monitor_read'],'expires_on':'2999-01-31T12:00:00Z'}"
            .formatted(api.zone.id());
    JsonNode created = send("POST", "/user/tokens", body).isOk().result();
    String first = created.get("value").stringValue();
    String path = "/user/tokens/" + created.get("id").stringValue();
    assertThat(status(first)).isEqualTo(200);
    JsonNode listed = send("GET", path, null).isOk().result();
    assertThat(listed.get("expires_on").stringValue()).isEqualTo("2999-01-31T12:00:00Z");
    assertThat(send("GET", "/user/tokens", null).isOk().result().valueStream()).contains(listed);

    String second = text(send("PUT", path + "/value", null), "value");
    assertThat(status(first)).isEqualTo(403);
    assertThat(status(second)).isEqualTo(200);

    String soon = api.clock.instant().plusSeconds(60).toString();
    send("PATCH", path, "{'expires_on':'" + soon + "'}").isOk();
    api.clock.advance(Duration.ofSeconds(60));
    assertThat(status(second)).isEqualTo(403);
    send("PATCH", path, "{'expires_on':null}").isOk();
    assertThat(status(second)).isEqualTo(200);

    send("DELETE", path, null).isOk();
    assertThat(status(second)).isEqualTo(403);
    send("GET", path, null).isError(404, 10001);
    send("DELETE", path, null).isError(404, 10001);
    send("PUT", path + "/value", null).isError(404, 10001);
  }

  @Test
  void aKeyIsNamedByItsOwner() {
    String key = text(send("POST", "/user/tokens", "{'email':'me+api@example.com'}"), "value");
    Answer listed = send("GET", "/user/tokens/me%2Bapi%40example.com", null);

    assertThat(text(listed, "kind")).isEqualTo("key");
    send("GET", "/user/tokens/me%zz", null).isError(404, 10001);
    assertThat(listed.result().get("permissions").toString()).doesNotContain("operate");
    api.raw(
            "GET",
            "/client/v4/zones",
            null,
            "X-Auth-Email",
            "me+api@example.com",
            "X-Auth-Key",
            key)
        .isOk();
  }

  @Test
  void onlyAnOperatorsTokenIsAnswered() {
    String all = api.api.operator().createToken(List.of(), Permission.OF_ZONES);
    List<String> requests =
        List.of(
            "POST /zones",
            "GET /zones/" + api.zone.id() + "/profile",
            "PUT /zones/" + api.zone.id() + "/waf_migration/import",
            "GET /user/tokens",
            "POST /user/tokens",
            "DELETE /user/tokens/0123456789abcdef");

    for (String request : requests) {
      String[] parts = request.split(" ", 2);
      send(all, parts[0], parts[1], "{}").isError(403, 10000);
    }
    // An operator's token alone reads and changes no zone.
    send(operator, "GET", "/zones/" + api.zone.id() + "/filters", null).isError(403, 10000);
  }

  @ParameterizedTest
  @CsvSource({
    "POST, /zones, {'name':'Not a domain'}, 10002",
    "POST, /zones, {}, 10002",
    "POST, /zones, {'name':'a.example';'plan':'gold'}, 10002",
    "POST, /zones, {'name':'a.example';'policies_max':-1}, 10002",
    "POST, /zones, {'name':'a.example';'quota':1}, 10002",
    "POST, /user/tokens, {'permissions':['everything']}, 10002",
    "POST, /user/tokens, {'zones':['']}, 10002",
    "POST, /user/tokens, {'zones':['00000000000000000000000000000000'];'permissions':['operate']},"
        + " 10002",
    "POST, /user/tokens, {'email':'me'}, 10002",
    "POST, /user/tokens, {'expires_on':'tomorrow'}, 10002",
    "POST, /user/tokens, {'expires_on':'+10000-01-01T00:00:00Z'}, 10002",
    "PATCH, /user/tokens/0123456789abcdef, {}, 10002",
  })
  void wrongBodiesAreRefusedAndChangeNothing(String method, String path, String body, int code) {
    String zones = send("GET", "/zones", null).response().body();
    String tokens = send("GET", "/user/tokens", null).response().body();

    send(method, path, body.replace(';', ',')).isError(400, code);

    assertThat(send("GET", "/zones", null).response().body()).isEqualTo(zones);
    assertThat(send("GET", "/user/tokens", null).response().body()).isEqualTo(tokens);
  }

  private int status(String token) {
    String path = "/client/v4/zones/" + api.zone.id() + "/page_monitor";
    return api.raw("GET", path, null, "Authorization", "Bearer " + token).status();
  }
}
