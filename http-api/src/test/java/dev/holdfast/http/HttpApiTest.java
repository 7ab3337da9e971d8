package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.ObjectListOptions;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.http.call.Zone;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.object.Permission;
import dev.holdfast.http.object.Plan;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The API without a server, and over restarts. */
class HttpApiTest {

  /** As deep as bodies may be. */
  private static final int DEEP = 63;

  @TempDir private Path directory;

  private String token = "";
  private String zone = "";

  /** Runs something with a runtime that is opened and closed for it. */
  private void session(Consumer<HttpApi> session) {
    try (ObjectRuntime runtime = open()) {
      session.accept(api(runtime));
    }
  }

  private ObjectRuntime open() {
    return Holdfast.open(directory, objects -> HttpApi.register(objects, HttpApiOptions.DEFAULT));
  }

  private HttpApi api(ObjectRuntime runtime) {
    HttpApi api = new HttpApi(runtime, HttpApiOptions.DEFAULT);
    if (token.isEmpty()) {
      token = api.operator().createToken(List.of(), List.of(Permission.values()));
      zone = api.operator().createZone("example.com", Plan.ENTERPRISE).id();
    }
    return api;
  }

  private ApiResponse send(HttpApi api, String method, String path, String body) {
    return api.handle(
        new ApiRequest(
            method,
            "/client/v4/zones/" + zone + path,
            "",
            Map.of("authorization", List.of("Bearer " + token)),
            ByteBuffer.wrap(body.getBytes(StandardCharsets.UTF_8))));
  }

  private static String nested(int depth) {
    return "{\"a\":".repeat(depth) + "1" + "}".repeat(depth);
  }

  private static ApiRequest page() {
    return new ApiRequest("GET", "https://example.com/", "", Map.of(), ByteBuffer.allocate(0));
  }

  /** It is stored deeper than it came. */
  @Test
  void zoneAnswersAfterARestartThoughAnOverrideWasDeep() {
    session(
        api ->
            assertThat(
                    send(
                            api,
                            "POST",
                            "/firewall/waf/overrides",
                            "{\"urls\":[\"example.com/*\"],\"groups\":" + nested(DEEP) + "}")
                        .status())
                .isEqualTo(200));

    session(api -> assertThat(send(api, "GET", "/page_monitor", "").status()).isEqualTo(200));
  }

  @Test
  void rulesetWithADeepRuleCanBeReadAgain() {
    session(
        api -> {
          String id = createRuleset(api);
          assertThat(addRule(api, id, nested(DEEP)).status()).isEqualTo(200);

          assertThat(send(api, "GET", "/rulesets/" + id, "").status()).isEqualTo(200);
          assertThat(send(api, "DELETE", "/rulesets/" + id, "").status()).isEqualTo(204);
        });
  }

  /** Each change reads and writes them all, and a hundred versions are kept. */
  @Test
  void rulesOfARulesetAreBoundedTogether() {
    session(
        api -> {
          String id = createRuleset(api);
          String text = "\"" + "x".repeat(30_000) + "\"";
          String large = "{\"texts\":[" + String.join(",", Collections.nCopies(20, text)) + "]}";
          assertThat(addRule(api, id, large).status()).isEqualTo(200);

          ApiResponse refused = addRule(api, id, large);

          assertThat(refused.status()).isEqualTo(400);
          assertThat(Json.read(refused.body()).at("/errors/0/message").stringValue())
              .contains("at most");
          assertThat(send(api, "GET", "/rulesets/" + id + "/versions", "").body())
              .doesNotContain("xxx");
        });
  }

  private String createRuleset(HttpApi api) {
    ApiResponse made =
        send(
            api,
            "POST",
            "/rulesets",
            "{\"name\":\"n\",\"kind\":\"custom\",\"phase\":\"http_request_firewall_custom\",\"rules\":[]}");
    return Json.read(made.body()).at("/result/id").stringValue();
  }

  private ApiResponse addRule(HttpApi api, String ruleset, String parameters) {
    return send(
        api,
        "POST",
        "/rulesets/" + ruleset + "/rules",
        "{\"action\":\"block\",\"expression\":\"ip.src == 1.2.3.4\",\"action_parameters\":"
            + parameters
            + "}");
  }

  /** No zones are all zones. */
  @Test
  void credentialForAnEmptyZoneIsRefused() {
    session(
        api -> {
          assertThatIllegalArgumentException()
              .isThrownBy(() -> api.operator().createToken(List.of(""), List.of()));
          assertThatIllegalArgumentException()
              .isThrownBy(() -> api.operator().createKey("me@example.com", List.of(""), List.of()));
        });
  }

  @Test
  void keyThatItsOwnerCouldNeverUseIsRefused() {
    session(
        api ->
            assertThatIllegalArgumentException()
                .isThrownBy(() -> api.operator().createKey("no address", List.of(), List.of()))
                .withMessageContaining("no address"));
  }

  @Test
  void cookieOfAZoneThatWasCreatedAgainSetsAnAlarm() {
    session(
        api ->
            assertThat(send(api, "PUT", "/page_monitor", "{\"enabled\":true}").status())
                .isEqualTo(200));

    try (ObjectRuntime runtime = open()) {
      HttpApi api = api(runtime);
      api.pageHeaders(zone, page(), Map.of("set-cookie", List.of("a=b")));
      api.storeCookies();

      assertThat(zones(runtime).alarms().pending(Optional.empty(), 10).items()).hasSize(1);
    }
  }

  @Test
  void pageOfAnUnknownZoneIsRefusedAndMakesNoObject() {
    try (ObjectRuntime runtime = open()) {
      HttpApi api = api(runtime);

      assertThatIllegalArgumentException()
          .isThrownBy(() -> api.pageHeaders("mistyped", page(), Map.of()));
      assertThat(zones(runtime).list(ObjectListOptions.ALL).items()).hasSize(1);
    }
  }

  private static ObjectNamespace<Zone> zones(ObjectRuntime runtime) {
    return runtime.namespace(Zone.NAMESPACE, Zone.class);
  }

  @Test
  void importedOverrideHasAnIdByWhichItIsFound() {
    session(
        api ->
            assertThatIllegalArgumentException()
                .isThrownBy(
                    () ->
                        api.operator()
                            .importLegacy(zone, "{\"overrides\":[{\"id\":5,\"urls\":[\"a\"]}]}")));
  }

  @Test
  void overridesBeyondWhatIsReadAreRefused() {
    session(
        api -> {
          api.operator()
              .importLegacy(
                  zone,
                  "{\"overrides\":["
                      + IntStream.range(0, 5_000)
                          .mapToObj(i -> "{\"urls\":[\"example.com/" + i + "\"]}")
                          .collect(Collectors.joining(","))
                      + "]}");

          ApiResponse refused =
              send(api, "POST", "/firewall/waf/overrides", "{\"urls\":[\"example.com/x\"]}");

          assertThat(refused.status()).isEqualTo(400);
        });
  }

  /** Each rule that switches off would repeat all that switch on. */
  @Test
  void importOfPageRulesReportsWhatIsTooLong() {
    String rules =
        IntStream.range(0, 5_000)
            .mapToObj(
                i ->
                    "{\"url\":\"example.com/%s%d/*\",\"waf\":\"%s\"}"
                        .formatted("x".repeat(100), i, i < 2_500 ? "on" : "off"))
            .collect(Collectors.joining(","));

    session(
        api ->
            assertThatIllegalArgumentException()
                .isThrownBy(
                    () -> api.operator().importLegacy(zone, "{\"page_rules\":[" + rules + "]}")));
  }
}
