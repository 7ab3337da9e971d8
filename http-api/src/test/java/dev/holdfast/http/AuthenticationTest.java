package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.object.Permission;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AuthenticationTest {

  private ApiFixture api;
  private String path;

  @BeforeAll
  void start(@TempDir Path directory) {
    api = new ApiFixture(directory);
    path = "/client/v4/zones/" + api.zone.id() + "/page_monitor";
  }

  @AfterAll
  void stop() {
    api.close();
  }

  @ParameterizedTest
  @CsvSource({
    "X-Unknown, x, 400, 9106",
    "X-Auth-Email, me@example.com, 400, 9107",
    "X-Auth-Key, 0123456789abcdef0123456789abcdef, 400, 9106",
    "Authorization, Basic abc, 400, 6003",
    "Authorization, Bearer, 400, 6003",
    "Authorization, Bearer hf_0123456789abcdef_0123456789abcdef, 403, 9109",
    "Authorization, Bearer something-else-entirely, 403, 9109",
  })
  void wrongCredentialsAreRefused(String header, String value, int status, int code) {
    api.raw("GET", path, null, header, value).isError(status, code);
  }

  @ParameterizedTest
  @CsvSource({
    "me@example.com, 0123456789abcdef0123456789abcdef, 403, 9103",
    "me, 0123456789abcdef0123456789abcdef, 400, 6003",
    "me@example.com, short, 400, 6003",
  })
  void wrongKeysAreRefused(String email, String key, int status, int code) {
    api.raw("GET", path, null, "X-Auth-Email", email, "X-Auth-Key", key).isError(status, code);
  }

  @Test
  void malformedHeadersNameTheirCause() {
    var answer = api.raw("GET", path, null, "Authorization", "Basic abc");

    assertThat(answer.json().get("errors").get(0).get("error_chain").get(0).get("code").intValue())
        .isEqualTo(6111);
  }

  @Test
  void theOwnersKeyIsAsGoodAsAToken() {
    String key =
        api.api
            .operator()
            .createKey("me@example.com", List.of(), List.of(Permission.PAGE_MONITOR_READ));

    api.raw("GET", path, null, "X-Auth-Email", "me@example.com", "X-Auth-Key", key).isOk();
  }

  @Test
  void aTokenWorksOnlyInItsZonesAndForWhatItMay() {
    var other = api.api.operator().createZone("example.net", api.zone.plan());
    String token =
        api.api.operator().createToken(List.of(other.id()), List.of(Permission.PAGE_MONITOR_READ));
    String bearer = "Bearer " + token;
    String there = "/client/v4/zones/" + other.id() + "/page_monitor";

    api.raw("GET", there, null, "Authorization", bearer).isOk();
    api.raw("PUT", there, "{\"enabled\":true}", "Authorization", bearer).isError(403, 10000);
    api.raw("GET", path, null, "Authorization", bearer).isError(403, 9109);
  }

  @Test
  void tokenOfAProxyAsksForHeadersAndDecisionsOnly() {
    String bearer =
        "Bearer " + api.api.operator().createToken(List.of(), List.of(Permission.PROXY));
    String zone = "/client/v4/zones/" + api.zone.id();
    String page = "{\"url\":\"https://example.com/\"}";

    api.raw("POST", zone + "/page_monitor/headers", page, "Authorization", bearer).isOk();
    api.raw("POST", zone + "/firewall/simulate", page, "Authorization", bearer).isOk();
    for (String other :
        List.of("/page_monitor", "/page_monitor/cookies", "/filters", "/rulesets")) {
      api.raw("GET", zone + other, null, "Authorization", bearer).isError(403, 10000);
    }
    api.raw("PUT", zone + "/page_monitor", "{\"enabled\":true}", "Authorization", bearer)
        .isError(403, 10000);
    String reader =
        "Bearer " + api.api.operator().createToken(List.of(), List.of(Permission.FIREWALL_READ));
    api.raw("POST", zone + "/page_monitor/headers", page, "Authorization", reader)
        .isError(403, 10000);
  }

  @Test
  void aRevokedTokenIsUnknown() {
    String token = api.api.operator().createToken(List.of(), List.of(Permission.values()));
    api.raw("GET", path, null, "Authorization", "Bearer " + token).isOk();

    assertThat(api.api.operator().revoke(token.split("_", -1)[1])).isTrue();

    api.raw("GET", path, null, "Authorization", "Bearer " + token).isError(403, 9109);
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /client/v4/zones/xyz/page_monitor, 404, 7003",
    "GET, /client/v4/zones/00000000000000000000000000000000/page_monitor, 404, 7003",
    "GET, /client/v4/nothing/here, 404, 7003",
    "GET, /elsewhere, 404, 7003",
    "DELETE, /client/v4/zones, 405, 10405",
  })
  void pathsThatLeadNowhereAreRefused(String method, String path, int status, int code) {
    api.raw(method, path, null, "Authorization", "Bearer " + api.token).isError(status, code);
  }

  @Test
  void everyBasePathThatEndsInTheVersionIsServed() {
    String rest = "/zones/" + api.zone.id() + "/page_monitor";

    api.raw("GET", "/v4" + rest, null, "Authorization", "Bearer " + api.token).isOk();
    api.raw("GET", "/api/v4" + rest, null, "Authorization", "Bearer " + api.token).isOk();
  }

  @Test
  void tokenIsRefusedFromItsTimeOnAlsoAfterItWasRenewed() {
    Operator operator = api.api.operator();
    String token = operator.createToken(List.of(), List.of(Permission.values()));
    String id = token.split("_", -1)[1];
    assertThat(operator.expire(id, api.clock.instant().plusSeconds(60))).isTrue();
    assertThat(status(token)).isEqualTo(200);

    String renewed = operator.rotate(id).orElseThrow();
    assertThat(status(token)).isEqualTo(403);
    assertThat(status(renewed)).isEqualTo(200);
    assertThat(operator.credentials())
        .filteredOn(each -> each.grant().id().equals(id))
        .singleElement()
        .satisfies(each -> assertThat(each.expires()).isNotNull());

    api.clock.advance(Duration.ofSeconds(60));
    assertThat(status(renewed)).isEqualTo(403);
    assertThat(operator.expire("0".repeat(16), null)).isFalse();
    assertThat(operator.rotate("0".repeat(16))).isEmpty();
  }

  private int status(String token) {
    return api.raw("GET", "/client/v4/zones", null, "Authorization", "Bearer " + token).status();
  }
}
