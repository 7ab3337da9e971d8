package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.object.Plan;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Which bodies requests may have, whatever they ask for; and the method that sends none back. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RequestBodyTest {

  private static final String ID = "0123456789abcdef0123456789abcdef";
  private static final String POLICY =
      """
      {"description":"x","action":"log","expression":"true","enabled":true,
       "value":"script-src 'self'"}
      """;
  private static final String ENTRY_POINT =
      "/rulesets/phases/http_request_firewall_custom/entrypoint";

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

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "PUT | /page_monitor | {'enabled':true,'colour':1} | /colour",
        "POST | /page_monitor/policies | {'colour':1} | /colour",
        "PUT | /page_monitor/policies/ID | {'colour':1} | /colour",
        "POST | /page_monitor/headers | {'url':'https://example.com/','colour':1} | /colour",
        "POST | /filters | [{'expression':'ssl'},{'expression':'true','colour':1}] | /1/colour",
        "PUT | /filters | [{'id':'ID','expression':'ssl','colour':1}] | /0/colour",
        "PUT | /filters/ID | {'expression':'ssl','colour':1} | /colour",
        "POST | /firewall/rules | [{'action':'block','filter':{'expression':'ssl'},'colour':1}]"
            + " | /0/colour",
        "POST | /firewall/rules | [{'action':'block','filter':{'expression':'ssl','colour':1}}]"
            + " | /0/filter/colour",
        "PUT | /firewall/rules/ID | {'action':'block','filter':{'id':'ID'},'colour':1} | /colour",
        "PATCH | /firewall/rules/ID | {'priority':1,'colour':1} | /colour",
        "DELETE | /firewall/rules/ID | {'colour':1} | /colour",
        "POST | /firewall/simulate | {'url':'https://example.com/','colour':1} | /colour",
        "POST | /rulesets | {'name':'x','kind':'custom','colour':1} | /colour",
        "PUT | /rulesets/ID | {'colour':1} | /colour",
        "PUT | /rulesets/phases/http_request_firewall_custom/entrypoint | {'colour':1} | /colour",
        "PUT | /rulesets/phases/http_request_firewall_custom/entrypoint"
            + " | {'rules':[{'action':'block','expression':'ssl','colour':1}]} | /rules/0/colour",
        "POST | /firewall/waf/overrides | {'urls':['example.com/a'],'colour':1} | /colour",
      })
  void memberThatIsUnknownIsRefusedAlike(String method, String path, String body, String pointer) {
    var answer =
        api.send(method, path.replace("ID", ID), body.replace("ID", ID).replace('\'', '"'));

    // An item that does not exist is refused first.
    if (answer.status() != 404) {
      answer.isError(400, 10002);
      assertThat(answer.message()).isEqualTo("invalid JSON: unknown field \"colour\"");
      assertThat(answer.json().at("/errors/0/source/pointer").stringValue()).isEqualTo(pointer);
    } else {
      assertThat(path).contains("ID");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "application/json, 200",
    "application/json; charset=utf-8, 200",
    "application/merge-patch+json, 200",
    "application/x-www-form-urlencoded, 200",
    "'', 200",
    "text/xml, 415",
    "text/plain;charset=UTF-8, 415",
    "multipart/form-data; boundary=x, 415",
    "application/jsonx, 415",
  })
  void bodyOfAnotherMediaTypeIsRefused(String type, int status) {
    var answer =
        api.raw(
            "PUT",
            "/client/v4/zones/" + api.zone.id() + "/page_monitor",
            "{\"enabled\":true}",
            "Authorization",
            "Bearer " + api.token,
            "Content-Type",
            type);

    if (status == 200) {
      answer.isOk();
    } else {
      answer.isError(415, 10415);
      assertThat(answer.message()).isEqualTo("The body must be application/json");
    }
  }

  @Test
  void requestWithoutABodyHasNoMediaType() {
    String path = "/client/v4/zones/" + api.zone.id() + "/firewall/rules/" + "0".repeat(32);

    api.raw(
            "DELETE",
            path,
            "",
            "Authorization",
            "Bearer " + api.token,
            "Content-Type",
            "text/plain")
        .isError(404, 10001);
  }

  private void sendsBack(String path) {
    JsonNode given = api.get(path).isOk().result();
    ObjectNode back = Json.readObject(Json.write(given)).put("zone_id", api.zone.id());

    JsonNode answered = api.put(path, Json.write(back)).isOk().result();

    assertThat(withoutTimes(answered)).isEqualTo(withoutTimes(given));
  }

  private static JsonNode withoutTimes(JsonNode tree) {
    ObjectNode copy = Json.readObject(Json.write(tree));
    copy.remove("updated_at");
    copy.remove("last_updated");
    copy.remove("version");
    return copy;
  }

  private String created(String path, String body) {
    JsonNode result = api.post(path, body).isOk().result();
    return (result.isArray() ? result.get(0) : result).get("id").stringValue();
  }

  @Test
  void whatIsReadMayBeSentBack() {
    JsonNode settings = api.get("/page_monitor").isOk().result();
    api.put("/page_monitor", Json.write(settings)).isOk();
    assertThat(withoutTimes(api.get("/page_monitor").isOk().result()))
        .isEqualTo(withoutTimes(settings));
    sendsBack("/page_monitor/policies/" + created("/page_monitor/policies", POLICY));
    sendsBack(
        "/filters/" + created("/filters", "[{\"expression\":\"ssl\",\"description\":\"d\"}]"));
    sendsBack(
        "/firewall/rules/"
            + created(
                "/firewall/rules",
                "[{\"action\":\"block\",\"filter\":{\"expression\":\"not ssl\"}}]"));
    api.put(ENTRY_POINT, "{\"rules\":[{\"action\":\"block\",\"expression\":\"ssl\"}]}").isOk();
    sendsBack(ENTRY_POINT);
    sendsBack(
        "/rulesets/"
            + created(
                "/rulesets",
                "{\"name\":\"n\",\"kind\":\"custom\",\"phase\":\"http_request_firewall_custom\",\"rules\":[]}"));
    sendsBack(
        "/firewall/waf/overrides/"
            + created("/firewall/waf/overrides", "{\"urls\":[\"example.com/a\"]}"));
  }

  @Test
  void settingOfTwoNamesIsChangedByEither() {
    for (String name :
        new String[] {"use_vendor_reporting_endpoint", "use_cloudflare_reporting_endpoint"}) {
      for (boolean value : new boolean[] {false, true}) {
        ObjectNode settings =
            Json.readObject(Json.write(api.get("/page_monitor").isOk().result())).put(name, value);

        api.put("/page_monitor", Json.write(settings)).isOk();

        JsonNode changed = api.get("/page_monitor").isOk().result();

        assertThat(changed.get("use_vendor_reporting_endpoint").booleanValue()).isEqualTo(value);
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "[{ | the text ends too early at line 1, column 3",
        "[{\"expression\": | the text ends too early at line 1, column 16",
        "{\"a\":1,\"a\":2} | a member is given twice at line 1, column 11",
        "{a:1} | something that is not JSON at line 1, column 2",
        "[tru] | something that is not JSON at line 1, column",
        "{} {} | something follows the value at line 1, column",
        "{\"a\":\"\\ud800\"} | a string holds half of a surrogate pair, or U+0000 at line 1, column"
            + " 7",
        "{\"a\":\"\\q\"} | something that is not JSON at line 1, column",
      })
  void brokenJsonNamesLineAndColumnAndNothingOfTheParser(String body, String message) {
    String answer = api.post("/filters", body).isError(400, 10002).message();

    assertThat(answer)
        .startsWith("invalid JSON: " + message)
        .doesNotContain("ource", "jackson", "Token");
  }

  @Test
  void secondLineIsNamed() {
    assertThat(api.put("/page_monitor", "{\n  \"enabled\": yes\n}").message())
        .startsWith("invalid JSON: something that is not JSON at line 2, column ");
  }

  @Test
  void methodsThatArePossibleIncludeHead() {
    var answer = api.send("POST", "/page_monitor", "{}");

    assertThat(answer.header("Allow")).contains("GET, HEAD, PUT");
  }
}
