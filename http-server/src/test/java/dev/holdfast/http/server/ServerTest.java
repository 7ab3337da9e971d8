package dev.holdfast.http.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.object.Permission;
import dev.holdfast.http.object.Plan;
import dev.holdfast.http.server.internal.RawClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** The API behind its server: what is answered before, and instead of, reading a request. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ServerTest {

  private static final int HELD_BYTES_MAX = 2 << 20;

  /** No test is about clients that are slow; this machine may be. */
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final List<String> log = new CopyOnWriteArrayList<>();
  private ServedApi api;
  private String zone;

  @BeforeAll
  void start(@TempDir Path directory) {
    api =
        new ServedApi(
            directory,
            Plan.ENTERPRISE,
            options -> options,
            ServerOptions.DEFAULT
                .withBodies(1 << 20, HELD_BYTES_MAX)
                .withTimeouts(PATIENCE, PATIENCE, PATIENCE)
                .withRequestLog(log::add));
    zone = "/client/v4/zones/" + api.zone.id();
  }

  @AfterAll
  void stop() {
    api.close();
  }

  private RawClient client() throws IOException {
    URI base = URI.create(api.base());
    return new RawClient(new InetSocketAddress(base.getHost(), base.getPort()));
  }

  private static JsonNode json(String answer) {
    return ServedApi.json(answer.substring(answer.indexOf("\r\n\r\n") + 4));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      value = {
        "GET /client/v4/{zones} HTTP/1.1~Host: x~~#400#10005",
        "GET /client/v4/zones/a|b HTTP/1.1~Host: x~~#400#10005",
        "GET /client/v4/zones HTTP/1.1~~#400#10005",
        "GET /client/v4/zones HTTP/3.0~Host: x~~#505#10005",
        "POST /client/v4/zones HTTP/1.1~Host: x~Transfer-Encoding: br~~#400#10005",
        "POST /client/v4/zones HTTP/1.1~Host: x~Expect: x~~#417#10005",
      })
  void requestsThatCannotBeReadAreAnsweredInTheEnvelope(String request, int status, int code)
      throws IOException {
    try (RawClient client = client()) {
      String answer = client.lines(request).answer();

      assertThat(answer)
          .startsWith("HTTP/1.1 " + status)
          .contains("Content-Type: application/json");
      JsonNode envelope = json(answer);
      assertThat(envelope.get("result").isNull()).isTrue();
      assertThat(envelope.get("success").booleanValue()).isFalse();
      assertThat(envelope.at("/errors/0/code").intValue()).isEqualTo(code);
      assertThat(envelope.get("messages")).isEmpty();
    }
  }

  /** The body is announced and never sent: a server that waited for it would not answer. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      value = {
        "POST ZONE/filters#X-None: 1#400#9106",
        "POST ZONE/filters#Authorization: Bearer hf_0123456789abcdef_00000000#403#9109",
        "POST /client/v4/zones/00000000000000000000000000000000/filters#TOKEN#404#7003",
        "POST /client/v4/nothing#TOKEN#404#7003",
        "DELETE ZONE/page_monitor#TOKEN#405#10405",
      })
  void bodyOfAnUnauthorizedCallerIsNotRead(String request, String header, int status, int code)
      throws IOException {
    String credential = header.replace("TOKEN", "Authorization: Bearer " + api.token);
    try (RawClient client = client()) {
      String head = request.replace("ZONE", zone) + " HTTP/1.1~Host: x~Content-Length: 1000000~";

      String answer = client.lines(head + credential + "~~").answer();

      assertThat(answer).startsWith("HTTP/1.1 " + status);
      assertThat(json(answer).at("/errors/0/code").intValue()).isEqualTo(code);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "/client/v4/zones, 200",
    "/client/v4/zones/ZONE/page_monitor, 200",
    "/client/v4/zones/ZONE/page_monitor/scripts/0123456789abcdef0123456789abcdef, 404",
    "/client/v4/zones/ZONE/page_monitor/headers, 405",
    "/client/v4/openapi.json, 200",
    "/healthz, 200",
  })
  void headIsAnsweredLikeGetWithoutABody(String path, int status) {
    String whole = path.replace("ZONE", api.zone.id());

    var answer = api.raw("HEAD", whole, null, "Authorization", "Bearer " + api.token);

    assertThat(answer.status()).isEqualTo(status);
    assertThat(answer.response().body()).isEmpty();
    assertThat(answer.response().headers().firstValue("Content-Type")).isPresent();
  }

  @Test
  void reportsAreReadUpTo64KiBAndOnlyOfSignedAddresses() throws IOException {
    api.put("/page_monitor", "{\"enabled\":true}").isOk();
    String signed = api.reportAddress("http://example.com/");
    String unsigned = signed.replaceFirst("s=....", "s=0000");

    api.raw("POST", signed, " ".repeat(64 * 1_024 + 1)).isError(413, 10006);
    assertThat(api.raw("POST", signed, " ".repeat(64 * 1_024)).status()).isEqualTo(204);
    try (RawClient client = client()) {
      String head = " HTTP/1.1~Host: x~Content-Length: 60000~Expect: 100-continue~~";
      assertThat(client.lines("POST " + unsigned + head).answer()).startsWith("HTTP/1.1 204");
    }
  }

  @Test
  void manyUploadsAtOnceHoldNoMoreThanTheServerMay() throws IOException {
    String bearer = "Authorization: Bearer " + api.token + "~";
    String half = "[" + " ".repeat(900_000);
    List<RawClient> clients = new ArrayList<>();
    int refused = 0;
    try {
      for (int i = 0; i < 40; i++) {
        RawClient client = client();
        clients.add(client);
        client.lines(
            "POST " + zone + "/filters HTTP/1.1~Host: x~Content-Length: 900002~" + bearer + "~");
      }
      for (RawClient client : clients) {
        client.send(half);
      }
      // All but the few that have their place are refused, whatever they have yet to send.
      while (clients.stream().filter(RawClient::hasAnswer).count()
          < clients.size() - HELD_BYTES_MAX / 900_000) {
        Thread.onSpinWait();
      }
      for (RawClient client : clients) {
        String answer = client.send("]").answer();
        if (answer.startsWith("HTTP/1.1 429")) {
          assertThat(answer).contains("Retry-After: 1");
          assertThat(json(answer).at("/errors/0/code").intValue()).isEqualTo(10429);
          refused++;
        } else {
          assertThat(answer).startsWith("HTTP/1.1 400");
        }
      }
    } finally {
      for (RawClient client : clients) {
        client.close();
      }
    }
    // More, if some that grew at the same time were refused for each other's sake.
    assertThat(refused).isGreaterThanOrEqualTo(clients.size() - HELD_BYTES_MAX / 900_000);
    api.post("/filters", half + "]").isError(400, 10002);
  }

  @Test
  void answerThatTheClientHasIsNotSentAgain() {
    String bearer = "Bearer " + api.token;
    var first = api.raw("GET", zone + "/page_monitor", null, "Authorization", bearer).isOk();
    String tag = first.response().headers().firstValue("ETag").orElseThrow();

    var again =
        api.raw(
            "GET",
            zone + "/page_monitor",
            null,
            "Authorization",
            bearer,
            "If-None-Match",
            "\"other\", " + tag);

    assertThat(again.status()).isEqualTo(304);
    assertThat(again.response().body()).isEmpty();
    assertThat(again.response().headers().firstValue("ETag")).contains(tag);
    assertThat(again.response().headers().firstValue("Cache-Control"))
        .contains("private, no-cache");
    assertThat(
            api.raw(
                    "GET",
                    zone + "/page_monitor",
                    null,
                    "Authorization",
                    bearer,
                    "If-None-Match",
                    "*")
                .status())
        .isEqualTo(304);
    api.put("/page_monitor", "{\"use_connection_url_path\":true}").isOk();
    api.raw("GET", zone + "/page_monitor", null, "Authorization", bearer, "If-None-Match", tag)
        .isOk();
  }

  @Test
  void longAnswersAreCompressedForClientsThatReadGzip() throws IOException {
    String path = "/client/v4/openapi.json";
    try (RawClient client = client()) {
      String plain = client.lines("GET " + path + " HTTP/1.1~Host: x~Connection: close~~").answer();
      assertThat(plain).doesNotContain("Content-Encoding").contains("\"openapi\"");
    }
    try (RawClient client = client()) {
      String zipped =
          client
              .lines("GET " + path + " HTTP/1.1~Host: x~Accept-Encoding: gzip~Connection: close~~")
              .answer();
      assertThat(zipped).contains("Content-Encoding: gzip").doesNotContain("\"openapi\"");
    }
    try (RawClient client = client()) {
      String bearer = "Authorization: Bearer " + api.token;
      String bomb =
          client
              .lines(
                  "POST "
                      + zone
                      + "/filters HTTP/1.1~Host: x~"
                      + bearer
                      + "~Content-Encoding: gzip~Content-Length: 2~~[]")
              .answer();
      assertThat(bomb).startsWith("HTTP/1.1 400").contains("array of 1 to 200");
    }
  }

  @Test
  void everyRequestHasItsLineInTheLogWithoutItsQuery() throws IOException {
    log.clear();
    api.get("/filters?page=1").isOk();
    api.raw("GET", "/healthz", null);
    try (RawClient client = client()) {
      client.lines("nonsense~~").answer();
    }

    assertThat(log).hasSize(3);
    assertThat(log.get(0)).matches("127.0.0.1 GET " + zone + "/filters 200 [0-9]+");
    assertThat(log.get(1)).isEqualTo("127.0.0.1 GET /healthz 200 16");
    assertThat(log.get(2)).matches("127.0.0.1 - - 400 [0-9]+");
  }

  @Test
  void clientOverTheRateLimitGetsTheTimeToRetry(@TempDir Path directory) {
    try (ServedApi few =
        new ServedApi(directory, Plan.FREE, options -> options.withRequestsMax(3))) {
      String other = few.api.operator().createToken(List.of(), List.of(Permission.values()));
      for (int left = 2; left >= 0; left--) {
        var headers = few.get("/filters").isOk().response().headers();
        assertThat(headers.firstValue("x-ratelimit-limit")).contains("3");
        assertThat(headers.firstValue("x-ratelimit-remaining")).contains(String.valueOf(left));
        assertThat(headers.firstValue("x-ratelimit-reset")).contains("300");
      }
      few.now.updateAndGet(now -> now.plusSeconds(100));

      var refused = few.get("/filters").isError(429, 10429).response().headers();

      assertThat(refused.firstValue("retry-after")).contains("200");
      assertThat(refused.firstValue("x-ratelimit-remaining")).contains("0");
      String path = "/client/v4/zones/" + few.zone.id() + "/filters";
      few.raw("GET", path, null, "Authorization", "Bearer " + other).isOk();
      few.now.updateAndGet(now -> now.plusSeconds(200));
      few.get("/filters").isOk();
    }
  }

  @Test
  void failureOfAHandlerIsAnInternalError() throws IOException {
    try (HttpApiServer failing =
            HttpApiServer.serve(
                request -> {
                  throw new IllegalStateException("secret");
                },
                ServerOptions.DEFAULT);
        RawClient client = new RawClient(failing.address())) {
      assertThat(client.lines("GET / HTTP/1.1~Host: x~~").answer())
          .startsWith("HTTP/1.1 500")
          .contains("{\"code\":10013,\"message\":\"Internal error\"}")
          .doesNotContain("secret");
    }
  }

  @Test
  void metricsNeedACredentialAndAreThoseOfPrometheus() {
    api.raw("GET", "/metrics", null).isError(400, 9106);
    api.raw("POST", "/metrics", "{}", "Authorization", "Bearer " + api.token).isError(405, 10405);

    var metrics =
        api.raw("GET", "/metrics", null, "Authorization", "Bearer " + api.token).response();

    assertThat(metrics.statusCode()).isEqualTo(200);
    assertThat(metrics.headers().firstValue("Content-Type").orElse("")).startsWith("text/plain");
    assertThat(metrics.body())
        .contains("# TYPE holdfast_http_decisions_total counter\n")
        .endsWith("holdfast_http_failed_expressions_total 0\n");
  }
}
