package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.AlarmStatus;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.Page;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.http.call.Zone;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.object.Permission;
import dev.holdfast.http.object.Plan;
import dev.holdfast.testkit.VirtualClock;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * The zone's alarm, by itself. Requests move what is due too, so before a request the clock of the
 * API is set to a time at which nothing is due: then it shows the result of the alarm.
 */
class StatusAlarmTest {

  private static final Instant START = VirtualClock.DEFAULT_START.truncatedTo(ChronoUnit.MILLIS);
  private static final Duration MILLI = Duration.ofMillis(1);

  private final VirtualClock clock = new VirtualClock(START);
  private InstantSource shown = clock::now;
  private ObjectRuntime runtime;
  private HttpApi api;
  private String zone;
  private String token;

  @BeforeEach
  void start(@TempDir Path directory) {
    HttpApiOptions options = HttpApiOptions.DEFAULT.withClock(() -> shown.instant());
    runtime = Holdfast.open(directory, clock, objects -> HttpApi.register(objects, options));
    api = new HttpApi(runtime, options);
    zone = api.operator().createZone("example.com", Plan.ENTERPRISE).id();
    token = api.operator().createToken(List.of(), List.of(Permission.values()));
    send("PUT", "", "{\"enabled\":true}");
  }

  @AfterEach
  void stop() {
    runtime.close();
  }

  private JsonNode send(String method, String path, String body) {
    int query = path.indexOf('?');
    ApiRequest request =
        new ApiRequest(
            method,
            "/v4/zones/" + zone + "/page_monitor" + (query < 0 ? path : path.substring(0, query)),
            query < 0 ? "" : path.substring(query + 1),
            Map.of("authorization", List.of("Bearer " + token)),
            bytes(body));
    ApiResponse response = api.handle(request);
    assertThat(response.status()).as(response.body()).isEqualTo(200);
    return Json.read(response.body()).get("result");
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private void report(String script, int times) {
    JsonNode header =
        send(
                "POST",
                "/headers",
                "{\"url\":\"http://example.com/\",\"response_headers\":{\"content-type\":\"text/html\"}}")
            .get("headers")
            .get(0);
    String address = header.get("value").stringValue();
    String query = address.substring(address.indexOf('?', address.indexOf("report-uri")) + 1);
    String body =
        "{\"csp-report\":{\"document-uri\":\"http://example.com/\",\"blocked-uri\":\"%s\",\"effective-directive\":\"script-src\"}}"
            .formatted(script);
    for (int i = 0; i < times; i++) {
      ApiRequest request =
          new ApiRequest("POST", "/cdn-cgi/script_monitor/report", query, Map.of(), bytes(body));
      assertThat(api.handle(request).status()).isEqualTo(204);
    }
  }

  /** What the zone has stored of a status, by a request that moves nothing. */
  private List<String> stored(String status) {
    shown = () -> START;
    try {
      return send("GET", "/scripts?status=" + status, "").findValuesAsString("url");
    } finally {
      shown = clock::now;
    }
  }

  private List<Instant> pendingAlarms() {
    Page<AlarmStatus> page =
        runtime.namespace(Zone.NAMESPACE, Zone.class).alarms().pending(Optional.empty(), 10);
    return page.items().stream().map(alarm -> alarm.scheduledTime()).toList();
  }

  @Test
  void theAlarmMovesStatusesWithoutAnyRequest() {
    report("https://cdn.example.net/often.js", 3);
    report("https://cdn.example.net/once.js", 1);
    assertThat(pendingAlarms()).containsExactly(START.plus(Duration.ofDays(5)).plus(MILLI));

    clock.advance(Duration.ofDays(5));
    assertThat(stored("infrequent")).hasSize(1);
    clock.advance(MILLI);
    assertThat(stored("infrequent")).isEmpty();
    assertThat(stored("active")).containsExactly("https://cdn.example.net/often.js");
    assertThat(pendingAlarms()).containsExactly(START.plus(Duration.ofDays(7)).plus(MILLI));

    clock.advance(Duration.ofDays(2));
    assertThat(stored("active")).isEmpty();
    assertThat(stored("inactive")).containsExactly("https://cdn.example.net/often.js");
    assertThat(pendingAlarms()).containsExactly(START.plus(Duration.ofDays(30)).plus(MILLI));

    clock.advance(Duration.ofDays(23));
    assertThat(stored("active,infrequent,inactive")).isEmpty();
    assertThat(pendingAlarms()).isEmpty();
  }

  @Test
  void aReportInTimeKeepsAScriptActiveAndTheAlarmComesAgain() {
    report("https://cdn.example.net/often.js", 3);
    clock.advance(Duration.ofDays(6));
    report("https://cdn.example.net/often.js", 1);

    clock.advance(Duration.ofDays(6));
    assertThat(stored("active")).hasSize(1);
    clock.advance(Duration.ofDays(1).plus(MILLI));

    assertThat(stored("inactive")).hasSize(1);
  }
}
