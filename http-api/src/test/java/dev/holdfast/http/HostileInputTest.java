package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Whatever is sent, the answer is never a 5xx and never shows what is inside. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HostileInputTest {

  private static final int TRIES =
      "long".equals(System.getProperty("holdfast.tests")) ? 20_000 : 600;

  private static final List<String> PATHS =
      List.of(
          "/page_monitor",
          "/page_monitor/policies",
          "/page_monitor/headers",
          "/page_monitor/scripts",
          "/page_monitor/cookies",
          "/filters",
          "/firewall/rules",
          "/firewall/simulate",
          "/firewall/waf/overrides",
          "/firewall/waf/packages/c504870194831cd12c3fc0284f294abb",
          "/rulesets",
          "/rulesets/phases/http_request_firewall_managed/entrypoint",
          "/waf_migration/check");

  private static final List<String> BODIES =
      List.of(
          "{\"enabled\":\"true\",\"description\":\"x\",\"action\":\"log\",\"expression\":\"true\",\"value\":\"script-src"
              + " 'self'\"}",
          "[{\"filter\":{\"expression\":\"ip.src in"
              + " {192.0.2.0/24}\"},\"action\":\"block\",\"priority\":1}]",
          "[{\"expression\":\"http.host matches \\\"a+\\\"\",\"paused\":false}]",
          "{\"url\":\"https://example.com/?a=b\",\"headers\":{\"cookie\":\"a=b\"},\"fields\":{\"ssl\":true},\"response_headers\":{\"set-cookie\":\"a=b\",\"content-type\":\"text/html\"}}",
          "{\"name\":\"x\",\"kind\":\"zone\",\"phase\":\"ddos_l4\",\"rules\":[{\"action\":\"execute\",\"expression\":\"true\",\"action_parameters\":{\"id\":\"00000000000000000000000000000000\",\"overrides\":{\"rules\":[]}}}]}",
          "{\"urls\":[\"a\"],\"sensitivity\":\"high\",\"action_mode\":\"block\"}",
          "{\"csp-report\":{\"document-uri\":\"https://example.com/\",\"blocked-uri\":\"https://a/b.js\",\"effective-directive\":\"script-src\"}}");

  private static final List<String> REPORTS =
      List.of(
          "{\"csp-report\":{\"document-uri\":\"https://example.com/a\",\"blocked-uri\":\"https://a.example.net/b.js?c\",\"effective-directive\":\"script-src-elem\"}}",
          "{\"csp-report\":{\"document-uri\":\"https://example.com/\",\"blocked-uri\":\"wss://a:8080/b\",\"violated-directive\":\"connect-src"
              + " x\"}}",
          "[{\"type\":\"csp-violation\",\"age\":17,\"body\":{\"documentURL\":\"https://example.com/\",\"blockedURL\":\"https://a/b.js\",\"effectiveDirective\":\"script-src\",\"disposition\":\"enforce\"}},{\"type\":\"x\"}]");

  private static final List<String> QUERIES =
      List.of(
          "page=1&per_page=20",
          "hosts=*a*,b&status=active",
          "dry_run=true",
          "id=a&id=b",
          "phase_two=1&waf_migration=1",
          "expression=ssl&paused=true");

  private static final String ALPHABET = "{}[]\",:\\/*%&=-0189eE.truefalsn\u0001ü\uD83D\uDE00 ";

  private ApiFixture api;

  @BeforeAll
  void start(@TempDir Path directory) {
    api = new ApiFixture(directory);
  }

  @AfterAll
  void stop() {
    api.close();
  }

  private static <T> T one(List<T> all, Random random) {
    return all.get(random.nextInt(all.size()));
  }

  /** A few random cuts, repetitions and insertions. */
  private static String mutate(String text, Random random) {
    StringBuilder out = new StringBuilder(text);
    for (int i = random.nextInt(5); i > 0 && !out.isEmpty(); i--) {
      int at = random.nextInt(out.length());
      switch (random.nextInt(4)) {
        case 0 -> out.deleteCharAt(at);
        case 1 -> out.insert(at, ALPHABET.charAt(random.nextInt(ALPHABET.length())));
        case 2 -> out.insert(at, out.substring(at, Math.min(out.length(), at + 20)));
        default -> out.setCharAt(at, ALPHABET.charAt(random.nextInt(ALPHABET.length())));
      }
    }
    return out.toString();
  }

  @Test
  void noMutatedRequestIsAnsweredWithAServerError() {
    long seed = 20261121;
    Random random = new Random(seed);
    for (int i = 0; i < TRIES; i++) {
      String method = one(List.of("GET", "POST", "PUT", "PATCH", "DELETE"), random);
      String body = mutate(one(BODIES, random), random);
      String query = mutate(one(QUERIES, random), random).replaceAll("[^A-Za-z0-9=&,*._~-]", "%22");
      String path = one(PATHS, random) + (random.nextBoolean() ? "" : "/" + "0".repeat(32));

      var answer = api.send(method, path + "?" + query, method.equals("GET") ? null : body);

      assertThat(answer.status())
          .as("try %d of seed %d: %s %s?%s %s", i, seed, method, path, query, body)
          .isLessThan(500);
      assertThat(answer.response().body())
          .doesNotContain("dev.holdfast")
          .doesNotContain("tools.jackson");
    }
  }

  @Test
  void numbersThatNoFieldHasAreRefused() {
    String body = "{\"url\":\"https://example.com/\",\"fields\":{\"ip.src.asnum\":%s}}";
    for (String number : List.of("99999999999999999999", "1.5")) {
      api.post("/firewall/simulate", body.formatted(number)).isError(400, 10002);
    }
    api.post("/firewall/simulate", body.formatted("64500")).isOk();
  }

  @Test
  void emptyPhaseIsUnknown() {
    String path = "/rulesets/phases//entrypoint";
    assertThat(api.put(path, "{\"rules\":[]}").status()).isEqualTo(404);
    assertThat(api.get(path).status()).isEqualTo(404);
    assertThat(api.get(path + "/versions").status()).isEqualTo(404);
  }

  @Test
  void reportsOfAnyContentAreAnsweredWithNothing() {
    long seed = 7;
    Random random = new Random(seed);
    api.put("/page_monitor", "{\"enabled\":true}").isOk();
    String signed = api.reportAddress("http://example.com/");
    for (int i = 0; i < TRIES / 3; i++) {
      String report = mutate(one(REPORTS, random), random);
      String address = random.nextInt(4) == 0 ? mutateQuery(signed, random) : signed;

      var answer = api.raw("POST", address, report);

      assertThat(answer.status())
          .as("try %d of seed %d: %s %s", i, seed, address, report)
          .isEqualTo(204);
      assertThat(answer.response().body()).isEmpty();
    }
    // Some were reports all the same, and what they left can be shown.
    String every = "?per_page=100&status=infrequent,active";
    assertThat(api.get("/page_monitor/scripts" + every).isOk().result()).isNotEmpty();
    assertThat(api.get("/page_monitor/connections" + every).isOk().result()).isNotEmpty();
  }

  private static String mutateQuery(String address, Random random) {
    int query = address.indexOf('?') + 1;
    String mutated = mutate(address.substring(query), random);
    return address.substring(0, query) + mutated.replaceAll("[^A-Za-z0-9=&,*._~-]", "%22");
  }

  @Test
  void bodiesBeyondTheLimitAndDeepNestingAreRefused() {
    api.post("/filters", "[" + " ".repeat(1 << 20) + "]").isError(413, 10006);
    api.post("/filters", "[".repeat(5_000) + "]".repeat(5_000)).isError(400, 10002);
    api.post("/filters", "[{\"expression\":" + "9".repeat(10_000) + "}]").isError(400, 10002);
  }
}
