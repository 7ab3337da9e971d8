package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.object.Permission;
import dev.holdfast.http.object.Plan;
import dev.holdfast.http.object.ZoneProfile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The API on a real data directory, with one zone and a token that may do everything. */
final class ApiFixture implements AutoCloseable {

  final MovableClock clock = new MovableClock();
  final String token;
  final HttpApi api;

  /** The zone that paths are below of; a new one for each test that needs an empty one. */
  ZoneProfile zone;

  private final ObjectRuntime runtime;

  ApiFixture(Path directory) {
    this(directory, Plan.ENTERPRISE);
  }

  ApiFixture(Path directory, Plan plan) {
    this(directory, plan, options -> options);
  }

  ApiFixture(Path directory, Plan plan, UnaryOperator<HttpApiOptions> changes) {
    HttpApiOptions options = changes.apply(HttpApiOptions.DEFAULT.withClock(clock));
    runtime = Holdfast.open(directory, objects -> HttpApi.register(objects, options));
    api = new HttpApi(runtime, options);
    zone = api.operator().createZone("example.com", plan);
    token = api.operator().createToken(List.of(), List.of(Permission.values()));
  }

  /** Makes a zone that is empty, and lets requests go there. */
  ZoneProfile newZone(Plan plan) {
    zone = api.operator().createZone("example.com", plan);
    return zone;
  }

  /** An answer: status, headers and body as JSON. */
  record Answer(ApiResponse response) {
    int status() {
      return response.status();
    }

    Optional<String> header(String name) {
      return Optional.ofNullable(response.headers().get(name));
    }

    JsonNode json() {
      return Json.read(response.body());
    }

    JsonNode result() {
      return json().get("result");
    }

    int code() {
      return json().get("errors").get(0).get("code").intValue();
    }

    String message() {
      return json().get("errors").get(0).get("message").stringValue();
    }

    Answer isOk() {
      assertThat(status()).as(response.body()).isEqualTo(200);
      assertThat(json().get("success").booleanValue()).isTrue();
      return this;
    }

    Answer isError(int status, int code) {
      assertThat(status()).as(response.body()).isEqualTo(status);
      assertThat(code()).as(response.body()).isEqualTo(code);
      assertThat(json().get("success").booleanValue()).isFalse();
      assertThat(json().get("result").isNull()).isTrue();
      return this;
    }
  }

  Answer get(String path) {
    return send("GET", path, null);
  }

  Answer post(String path, String body) {
    return send("POST", path, body);
  }

  Answer put(String path, String body) {
    return send("PUT", path, body);
  }

  Answer delete(String path) {
    return send("DELETE", path, null);
  }

  /** Sends a request to a path below the zone, with the token. */
  Answer send(String method, String path, @Nullable String body) {
    String whole = "/client/v4/zones/" + zone.id() + path;
    Answer answer = raw(method, whole, body, "Authorization", "Bearer " + token);
    if (!path.contains("export=csv") || answer.status() != 200) {
      assertThat(ApiDocument.mistakes(method, whole, answer.status(), answer.response().body()))
          .as(method + " " + whole + " " + answer.response().body())
          .isEmpty();
    }
    return answer;
  }

  /** Reports, as browsers do, that a page of the zone has loaded a script. */
  void reportScript(String page, String script) {
    String report =
        """
        {"csp-report":{"document-uri":"%s","blocked-uri":"%s","effective-directive":"script-src"}}
        """
            .formatted(page, script);
    assertThat(raw("POST", reportAddress(page), report).status()).isEqualTo(204);
  }

  /** Where a page's browser sends reports: path and query, signed. */
  String reportAddress(String page) {
    String description =
        "{\"url\":\"%s\",\"response_headers\":{\"content-type\":\"text/html\"}}".formatted(page);
    JsonNode headers = post("/page_monitor/headers", description).isOk().result().get("headers");
    String value = headers.get(0).get("value").stringValue();
    return value.substring(value.indexOf("/cdn-cgi")).split(";", 2)[0];
  }

  /** Sends a request as it is. */
  Answer raw(String method, String path, @Nullable String body, String... headers) {
    String[] parts = path.split("\\?", 2);
    Map<String, List<String>> named = new HashMap<>();
    for (int i = 0; i < headers.length; i += 2) {
      named.put(headers[i].toLowerCase(Locale.ROOT), List.of(headers[i + 1]));
    }
    byte[] bytes = (body == null ? "" : body).getBytes(StandardCharsets.UTF_8);
    return new Answer(
        api.handle(
            new ApiRequest(
                method,
                parts[0],
                parts.length > 1 ? parts[1] : "",
                named,
                ByteBuffer.wrap(bytes),
                "127.0.0.1")));
  }

  @Override
  public void close() {
    runtime.close();
  }
}
