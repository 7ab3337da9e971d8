package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.http.call.Zone;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.object.Permission;
import dev.holdfast.http.object.Plan;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What a page view costs, counted in calls of objects and in records of the journal. */
class PageViewTest {

  private static final Map<String, List<String>> HTML =
      Map.of("content-type", List.of("text/html"), "set-cookie", List.of("sid=1; Path=/"));
  private static final String POLICY =
      """
      {"description":"all","action":"log","expression":"true","enabled":true,
       "value":"script-src 'self'"}
      """;

  private final MovableClock clock = new MovableClock();
  private final LinkedBlockingQueue<String> calls = new LinkedBlockingQueue<>();
  private @TempDir Path directory;
  private ObjectRuntime runtime;
  private HttpApi api;
  private String zone;
  private String token;

  @BeforeEach
  void start() {
    open();
    zone = api.operator().createZone("example.com", Plan.ENTERPRISE).id();
    token = api.operator().createToken(List.of(), List.of(Permission.values()));
    send("PUT", "/page_monitor", "{\"enabled\":true}");
  }

  @AfterEach
  void stop() {
    runtime.close();
  }

  private void open() {
    HttpApiOptions options = HttpApiOptions.DEFAULT.withClock(clock);
    runtime =
        Holdfast.open(
            directory,
            objects -> {
              HttpApi.register(objects, options);
              objects.filter(
                  call -> {
                    calls.add(call.operation());
                    return call.proceed();
                  });
            });
    api = new HttpApi(runtime, options);
  }

  private JsonNode send(String method, String path, String body) {
    String[] parts = path.split("\\?", 2);
    ApiResponse response =
        api.handle(
            new ApiRequest(
                method,
                "/client/v4/zones/" + zone + parts[0],
                parts.length > 1 ? parts[1] : "",
                Map.of("authorization", List.of("Bearer " + token)),
                ByteBuffer.wrap(body.getBytes(StandardCharsets.UTF_8))));
    assertThat(response.status()).as(response.body()).isEqualTo(200);
    return Json.read(response.body()).get("result");
  }

  private List<Header> view(int page) {
    return api.pageHeaders(
        zone,
        new ApiRequest(
            "GET",
            "https://example.com/" + page,
            "",
            Map.of("cookie", List.of("visitor=" + page)),
            ByteBuffer.allocate(0)),
        HTML);
  }

  @Test
  void pageViewsCallNoObjectAndWriteNothing() {
    List<Header> first = view(0);
    long bytes = JournalBytes.of(directory, Zone.NAMESPACE);
    calls.clear();

    for (int page = 1; page <= 100; page++) {
      assertThat(view(page)).isEqualTo(first).isNotEmpty();
    }

    assertThat(calls).isEmpty();
    assertThat(JournalBytes.of(directory, Zone.NAMESPACE)).isEqualTo(bytes);
  }

  @Test
  void cookiesAreStoredTogetherOnceAMinute() throws InterruptedException {
    for (int page = 0; page < 100; page++) {
      view(page);
    }
    calls.clear();
    clock.advance(Duration.ofMinutes(1));

    view(100);

    assertThat(calls.poll(60, TimeUnit.SECONDS)).isEqualTo("cookies");
    calls.clear();
    view(101);
    assertThat(calls).isEmpty();
  }

  @Test
  void listOfCookiesHasThoseThatWereNoted() {
    view(1);
    view(2);

    JsonNode cookies = send("GET", "/page_monitor/cookies", "");

    List<String> names = new ArrayList<>();
    cookies.forEach(cookie -> names.add(cookie.get("name").stringValue()));
    assertThat(names).containsExactlyInAnyOrder("sid", "visitor");
    assertThat(cookies.get(0).get("first_page_url").stringValue()).isEqualTo("example.com/1");
    assertThat(cookies.get(0).get("page_urls").get(0).stringValue()).isEqualTo("example.com/2");
  }

  @Test
  void cookiesOfASiteThatReportsElsewhereAreListed() {
    HttpApi site = api.withReportBase("");
    List<Header> page =
        site.pageHeaders(
            zone,
            new ApiRequest("GET", "https://example.com/", "", Map.of(), ByteBuffer.allocate(0)),
            HTML);

    assertThat(page.getFirst().value()).contains("report-uri https://example.com/");
    assertThat(view(1).getFirst().value()).contains("report-uri http://127.0.0.1:8787/");
    assertThat(send("GET", "/page_monitor/cookies?name=sid", "")).hasSize(1);
  }

  @Test
  void policyHoldsFromItsOwnAnswerOn() {
    int before = view(1).size();

    send("POST", "/page_monitor/policies", POLICY);

    assertThat(view(1)).hasSize(before + 1);
  }

  @Test
  void reportAddressIsTheSameAfterARestart() {
    List<Header> before = view(1);
    runtime.close();
    open();

    assertThat(view(1)).isEqualTo(before);
  }

  @Test
  void inventedCookiesLeaveRoomForThoseThatResponsesSet() {
    for (int page = 0; page < 400; page++) {
      api.pageHeaders(
          zone,
          new ApiRequest(
              "GET",
              "https://example.com/",
              "",
              Map.of("cookie", List.of("made-up-" + page + "=1")),
              ByteBuffer.allocate(0)),
          Map.of());
    }
    view(1);

    assertThat(send("GET", "/page_monitor/cookies?type=first_party", "")).hasSize(1);
  }
}
