package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.internal.json.Json;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PolicyTest {

  private static final String POLICY =
      """
      {"description":"Checkout","action":"allow","expression":"http.host eq myapp.example.com",
       "enabled":"true","value":"script-src myapp.example.com 'self'"}
      """;

  private ApiFixture api;

  @BeforeAll
  void start(@TempDir Path directory) {
    api = new ApiFixture(directory);
  }

  @AfterAll
  void stop() {
    api.close();
  }

  @Test
  void aPolicyIsReturnedAsItWasSent() {
    var created = api.post("/page_monitor/policies", POLICY).isOk().result();

    assertThat(created.get("id").stringValue()).matches("[0-9a-f]{32}");
    assertThat(created.get("enabled").stringValue()).isEqualTo("true");
    assertThat(created.get("expression").stringValue()).isEqualTo("http.host eq myapp.example.com");
    assertThat(api.get("/page_monitor/policies/" + created.get("id").stringValue()).isOk().result())
        .isEqualTo(created);
  }

  @Test
  void anUpdateChangesOnlyWhatItNames() {
    String id = api.post("/page_shield/policies", POLICY).isOk().result().get("id").stringValue();

    var changed = api.put("/page_shield/policies/" + id, "{\"enabled\":false}").isOk().result();

    assertThat(changed.get("enabled").isBoolean()).isTrue();
    assertThat(changed.get("action").stringValue()).isEqualTo("allow");
  }

  @Test
  void anExpressionThatIsSentAgainIsCheckedAgain() {
    String policy = POLICY.replace("eq myapp.example.com\"", "matches \\\"x\\\"\"");
    String id = api.post("/page_monitor/policies", policy).isOk().result().get("id").stringValue();
    api.api.operator().configure(api.zone.withMatchesAllowed(false));

    api.put("/page_monitor/policies/" + id, "{\"enabled\":false}").isOk();
    api.put("/page_monitor/policies/" + id, policy).isError(400, 10101);
    api.api.operator().configure(api.zone);
  }

  @Test
  void aDeletedPolicyIsGone() {
    String id = api.post("/page_monitor/policies", POLICY).isOk().result().get("id").stringValue();

    assertThat(api.delete("/page_monitor/policies/" + id).isOk().result())
        .isEqualTo(Json.object().put("id", id));
    api.get("/page_monitor/policies/" + id).isError(404, 10001);
    api.delete("/page_monitor/policies/" + id).isError(404, 10001);
  }

  @Test
  void settingsThatWereNeverChangedKeepTheirTimeAlsoAfterARestart(@TempDir Path directory) {
    String asked;
    String id;
    try (ApiFixture first = new ApiFixture(directory)) {
      id = first.zone.id();
      asked = first.get("/page_monitor").isOk().result().get("updated_at").stringValue();
      first.clock.advance(Duration.ofHours(1));
      assertThat(first.get("/page_monitor").isOk().result().get("updated_at").stringValue())
          .isEqualTo(asked);
    }
    try (ApiFixture second = new ApiFixture(directory)) {
      second.clock.advance(Duration.ofHours(2));
      JsonNode settings =
          second
              .raw(
                  "GET",
                  "/client/v4/zones/" + id + "/page_monitor",
                  null,
                  "Authorization",
                  "Bearer " + second.token)
              .isOk()
              .result();

      assertThat(settings.get("updated_at").stringValue()).isEqualTo(asked);
    }
  }

  @Test
  void settingsAreSwitchedAndStamped() {
    assertThat(api.get("/page_monitor").isOk().result().get("enabled").booleanValue()).isFalse();
    api.clock.advance(Duration.ofMinutes(1));

    var changed = api.put("/page_monitor", "{\"enabled\":true}").isOk().result();

    assertThat(changed.propertyNames()).containsExactly("enabled", "updated_at");
    assertThat(changed.get("enabled").booleanValue()).isTrue();
    assertThat(changed.get("updated_at").stringValue()).isEqualTo(api.clock.instant().toString());
  }
}
