package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.object.Plan;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MonitoringTest {

  private static final String PAGE = "https://shop.example.com/checkout";
  private static final String SCRIPT = "https://cdn.example.net/lib.js?v=1";

  private ApiFixture api;

  @BeforeAll
  void start(@TempDir Path directory) {
    api = new ApiFixture(directory);
  }

  @BeforeEach
  void emptyZone() {
    api.newZone(Plan.ENTERPRISE);
    api.put("/page_monitor", "{\"enabled\":true,\"use_vendor_reporting_endpoint\":true}").isOk();
  }

  @AfterAll
  void stop() {
    api.close();
  }

  private List<String> headers(String url) {
    return headers(url, "\"X-Other\":\"1\"");
  }

  private List<String> headers(String url, String responseHeaders) {
    String body =
        "{\"url\":\"%s\",\"response_headers\":{\"Content-Type\":\"text/html\",%s}}"
            .formatted(url, responseHeaders);
    List<String> lines = new ArrayList<>();
    api.post("/page_monitor/headers", body)
        .isOk()
        .result()
        .get("headers")
        .forEach(h -> lines.add(h.get("name").stringValue() + ": " + h.get("value").stringValue()));
    return lines;
  }

  /** The path and query of the report endpoint in a header. */
  private static String endpoint(String header) {
    String url = header.substring(header.indexOf("report-uri ") + "report-uri ".length());
    String address = url.split(";", 2)[0];
    return address.substring(address.indexOf("/cdn-cgi"));
  }

  private static String violation(String page, String blocked, String directive) {
    return "{\"csp-report\":{\"document-uri\":\"%s\",\"blocked-uri\":\"%s\",\"effective-directive\":\"%s\",\"disposition\":\"report\"}}"
        .formatted(page, blocked, directive);
  }

  private void report(String body) {
    String endpoint = endpoint(headers("http://shop.example.com/").getFirst());
    assertThat(api.raw("POST", endpoint, body, "Content-Type", "application/csp-report").status())
        .isEqualTo(204);
  }

  private void reportScript(int times) {
    for (int i = 0; i < times; i++) {
      report(violation("https://shop.example.com/pay?card=1#x", SCRIPT, "script-src-elem"));
    }
  }

  private JsonNode scripts(String query) {
    return api.get("/page_monitor/scripts" + query).isOk().result();
  }

  @Test
  void aScriptIsActiveAfterThreeReports() {
    reportScript(2);
    assertThat(scripts("")).isEmpty();
    assertThat(scripts("?status=infrequent")).hasSize(1);

    reportScript(1);

    JsonNode script = scripts("").get(0);
    assertThat(script.get("url").stringValue()).isEqualTo(SCRIPT);
    assertThat(script.get("host").stringValue()).isEqualTo("shop.example.com");
    assertThat(script.get("first_page_url").stringValue())
        .isEqualTo("https://shop.example.com/pay");
    JsonNode single =
        api.get("/page_monitor/scripts/" + script.get("id").stringValue()).isOk().result();
    assertThat(single.get("page_urls")).hasSize(1);
    assertThat(single.get("versions").isArray()).isTrue();
  }

  /** Chromium leaves these characters in the URLs that it reports. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "https://cdn_1.example.net/a|b.js https://cdn_1.example.net/a|b.js",
        "https://cdn.example.net/[x]/{y}.js?q=a|b{c}"
            + " https://cdn.example.net/[x]/%7By%7D.js?q=a|b{c}",
        "https://bücher.example.net:443/^.js https://xn--bcher-kva.example.net/%5E.js",
        "HTTPS://CDN.example.net\\a\\b.js https://cdn.example.net/a/b.js",
      })
  void urlsThatOnlyBrowsersReadAreListed(String blocked, String url) {
    for (String page :
        List.of("https://shop_1.example.com/a|b", "https://shop_1.example.com/{c}")) {
      report(violation(page, blocked.replace("\\", "\\\\"), "script-src-elem"));
    }

    JsonNode script = scripts("?status=infrequent&hosts=shop_1.example.com").get(0);

    assertThat(script.get("url").stringValue()).isEqualTo(url);
    assertThat(scripts("?status=infrequent&page_url=*/a%7Cb")).hasSize(1);
  }

  @Test
  void aPageOfAnyUrlGetsHeaders() {
    assertThat(headers("http://shop_1.example.com/a|b{c} d?e=[f]|^#g")).hasSize(1);
    assertThat(headers("http://user:secret@shop.example.com/").getFirst())
        .doesNotContain("user", "secret");
  }

  @Test
  void statusesFollowTheTimeWithoutReports() {
    reportScript(3);
    report(violation("https://shop.example.com/", "https://rare.example.net/x.js", "script-src"));

    api.clock.advance(Duration.ofDays(5));
    assertThat(scripts("?status=infrequent")).isEmpty();
    assertThat(scripts("?status=active")).hasSize(1);
    api.clock.advance(Duration.ofDays(2));
    assertThat(scripts("?status=inactive")).hasSize(1);
    reportScript(1);
    assertThat(scripts("")).hasSize(1);
    api.clock.advance(Duration.ofDays(30));
    assertThat(scripts("?status=active,infrequent,inactive")).isEmpty();
  }

  @Test
  void reportsOfBothFormatsAreTaken() {
    String endpoint = endpoint(headers("http://shop.example.com/").getFirst());
    String body =
        """
        [{"type":"csp-violation","age":1000,"url":"https://shop.example.com/",
          "body":{"documentURL":"https://shop.example.com/","blockedURL":"wss://live.example.net/s?id=7",
                  "effectiveDirective":"connect-src","disposition":"report"}},
         {"type":"deprecation","body":{}}]
        """;
    for (int i = 0; i < 3; i++) {
      api.raw("POST", endpoint, body, "Content-Type", "application/reports+json");
    }

    JsonNode connection = api.get("/page_monitor/connections").isOk().result().get(0);
    assertThat(connection.get("url").stringValue()).isEqualTo("wss://live.example.net");
    assertThat(connection.get("malicious_url_categories").isArray()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "https://shop.example.com/, inline, script-src",
    "https://shop.example.com/, eval, script-src",
    "https://shop.example.com/, data, script-src",
    "https://shop.example.com/, chrome-extension://abc/x.js, script-src",
    "https://shop.example.com/, https://user@host/x.js, script-src",
    "https://elsewhere.example.net/, https://cdn.example.net/x.js, script-src",
    "https://shop.example.com/, https://cdn.example.net/x.png, img-src",
    "nonsense, https://cdn.example.net/x.js, script-src",
  })
  void whatIsNoneOfOurBusinessIsDropped(String page, String blocked, String directive) {
    report(violation(page, blocked, directive));

    assertThat(scripts("?status=infrequent")).isEmpty();
  }

  @Test
  void anAddressThatWasNotSignedLeadsNowhere() {
    String endpoint = endpoint(headers("http://shop.example.com/").getFirst());
    String forged = endpoint.replaceFirst("s=.", "s=x");

    String body = violation("https://shop.example.com/", SCRIPT, "script-src");
    assertThat(api.raw("POST", forged, body).status()).isEqualTo(204);

    assertThat(scripts("?status=infrequent")).isEmpty();
  }

  @Test
  void framesWithoutAnAddressAndImagesOfOtherOriginsAreSeen() {
    String address = api.reportAddress(PAGE);
    String framed =
        violation("about", "https://evil.example/framed.js", "script-src-elem")
            .replace("\"csp-report\":{", "\"csp-report\":{\"referrer\":\"" + PAGE + "\",");
    api.raw("POST", address, framed);
    api.raw("POST", address, violation("about", "https://evil.example/x.js", "script-src-elem"));
    api.raw("POST", address, violation(PAGE, "https://evil.example/i?card=1", "img-src"));

    assertThat(pagesOf("framed.js")).containsExactly(PAGE);
    assertThat(pagesOf("x.js")).containsExactly("https://example.com/");
    assertThat(
            api.get("/page_monitor/connections?status=infrequent")
                .isOk()
                .result()
                .findValuesAsString("url"))
        .containsExactly("https://evil.example");
  }

  private List<String> pagesOf(String script) {
    return api.get("/page_monitor/scripts?status=infrequent&urls=" + script)
        .isOk()
        .result()
        .findValuesAsString("first_page_url");
  }

  @Test
  void scriptOfAWorkerGetsThePoliciesOfAPage() {
    api.put("/page_monitor", "{\"enabled\":true}").isOk();
    String description =
        """
        {"url":"https://shop.example.com/worker.js","headers":{"sec-fetch-dest":"%s"},
         "response_headers":{"content-type":"text/javascript"}}
        """;

    for (String destination : List.of("worker", "sharedworker", "serviceworker")) {
      assertThat(
              api.post("/page_monitor/headers", description.formatted(destination))
                  .isOk()
                  .result()
                  .get("headers"))
          .hasSize(1);
    }
    assertThat(
            api.post("/page_monitor/headers", description.formatted("script"))
                .isOk()
                .result()
                .get("headers"))
        .isEmpty();
  }

  @Test
  void policiesAreHeadersOfTheirOwnAndCountTheirViolations() {
    String policy =
        """
        {"description":"x","action":"allow","expression":"http.host eq shop.example.com",
         "enabled":true,"value":"script-src 'self'"}
        """;
    String id = api.post("/page_monitor/policies", policy).isOk().result().get("id").stringValue();
    api.post("/page_monitor/policies", policy.replace("allow", "log")).isOk();

    List<String> plain = headers("http://shop.example.com/");
    List<String> secure = headers("https://shop.example.com/");
    List<String> other = headers("https://www.example.com/");

    assertThat(plain).hasSize(3).noneMatch(line -> line.contains("report-to"));
    assertThat(plain.get(1)).startsWith("Content-Security-Policy: script-src 'self'; report-uri ");
    assertThat(plain.get(2)).startsWith("Content-Security-Policy-Report-Only: script-src 'self';");
    // With report-to, browsers would not report what workers and frames of srcdoc load.
    assertThat(secure).hasSize(3).noneMatch(line -> line.contains("report-to"));
    api.put("/page_monitor", "{\"use_vendor_reporting_endpoint\":false}").isOk();
    assertThat(headers("https://shop.example.com/"))
        .hasSize(3)
        .allMatch(line -> line.contains("report-uri https://shop.example.com/"));
    assertThat(headers("http://shop.example.com/")).hasSize(3);
    assertThat(other).hasSize(1);

    String body =
        violation("https://shop.example.com/", SCRIPT, "script-src")
            .replace("\"report\"", "\"enforce\"");
    api.raw("POST", endpoint(plain.get(1)), body);
    JsonNode violation =
        api.get("/page_monitor/policies/" + id + "/violations").isOk().result().get(0);
    assertThat(violation.get("count").intValue()).isEqualTo(1);
    assertThat(violation.get("action").stringValue()).isEqualTo("allow");
    assertThat(scripts("?status=infrequent")).isEmpty();
  }

  @Test
  void reportingDirectivesAreAddedToThePoliciesThatTheResponseHasItself() {
    api.put("/page_monitor", "{\"enabled\":false}").isOk();
    String policy =
        """
        {"description":"x","action":"add_reporting_directives","expression":"true",
         "enabled":true,"value":"script-src 'self'"}
        """;
    String id = api.post("/page_monitor/policies", policy).isOk().result().get("id").stringValue();
    String own =
        """
        "Content-Security-Policy":["script-src 'self'; report-uri /r, img-src *","report-to x"],
        "content-security-policy-report-only":"default-src 'none';"
        """;

    assertThat(headers("http://shop.example.com/")).isEmpty();
    List<String> lines = headers("http://shop.example.com/", own);

    assertThat(lines).hasSize(3).allMatch(line -> line.contains("&p=" + id));
    assertThat(lines.get(0))
        .startsWith("Content-Security-Policy: script-src 'self'; report-uri ht");
    assertThat(lines.get(1)).startsWith("Content-Security-Policy: img-src *; report-uri ht");
    assertThat(lines.get(2))
        .startsWith("Content-Security-Policy-Report-Only: default-src 'none'; report-uri ht");
    assertThat(headers("https://shop.example.com/", own)).hasSize(3);
    String broken = "\"Content-Security-Policy\":\"a\\r\\nb\"";
    assertThat(headers("http://shop.example.com/", broken)).isEmpty();
  }

  @Test
  void switchedOffNothingIsMonitoredAndPoliciesStay() {
    api.post(
            "/page_monitor/policies",
            "{\"description\":\"\",\"action\":\"log\",\"expression\":\"true\",\"enabled\":true,\"value\":\"script-src"
                + " 'self'\"}")
        .isOk();
    reportScript(1);
    api.put("/page_monitor", "{\"enabled\":false}").isOk();

    assertThat(headers("http://shop.example.com/")).hasSize(1);
    assertThat(scripts("?status=infrequent")).hasSize(1);
  }

  @Test
  void cookiesAreSeenInResponsesAndRequests() {
    api.post(
            "/page_monitor/headers",
            """
            {"url":"https://shop.example.com/a/b","headers":{"Cookie":"seen=1; sid=7"},
             "response_headers":{"Set-Cookie":["sid=7; Domain=.example.com; Path=/; Max-Age=60; Secure; HttpOnly; SameSite=Strict"]}}
            """)
        .isOk();

    JsonNode cookies = api.get("/page_monitor/cookies?name=sid").isOk().result();
    assertThat(cookies).hasSize(1);
    JsonNode sid = cookies.get(0);
    assertThat(sid.get("type").stringValue()).isEqualTo("first_party");
    assertThat(sid.get("domain_attribute").stringValue()).isEqualTo("example.com");
    assertThat(sid.get("same_site_attribute").stringValue()).isEqualTo("strict");
    assertThat(sid.get("max_age_attribute").intValue()).isEqualTo(60);
    assertThat(sid.get("first_page_url").stringValue()).isEqualTo("shop.example.com/a/b");
    assertThat(sid.get("page_urls").get(0).stringValue()).isEqualTo("shop.example.com/a/b");
    JsonNode seen = api.get("/page_monitor/cookies?type=unknown").isOk().result().get(0);
    assertThat(seen.get("path_attribute").stringValue()).isEqualTo("/a");
    api.get("/page_monitor/cookies/" + seen.get("id").stringValue()).isOk();
  }

  @Test
  void listsAreFilteredOrderedAndPaged() {
    for (int i = 0; i < 20; i++) {
      for (int times = 0; times < 3; times++) {
        report(
            violation(
                "https://h" + i % 2 + ".example.com/p" + i,
                "https://cdn.example.net/" + i + ".js",
                "script-src"));
      }
      api.clock.advance(Duration.ofSeconds(1));
    }
    report(
        violation("https://h0.example.com/", "https://x.example.net/cdn-cgi/y.js", "script-src"));

    var first = api.get("/page_monitor/scripts").isOk();
    assertThat(first.result()).hasSize(15);
    assertThat(first.result().get(0).get("url").stringValue()).endsWith("/19.js");
    assertThat(first.json().get("result_info").get("total_pages").intValue()).isEqualTo(2);
    assertThat(scripts("?page=2")).hasSize(5);
    assertThat(scripts("?page=3")).isEmpty();
    assertThat(scripts("?page=all")).hasSize(20);
    assertThat(scripts("?hosts=h1*&per_page=100")).hasSize(10);
    assertThat(scripts("?hosts=h1.example.com%2Ch0.example.com&per_page=100")).hasSize(20);
    assertThat(scripts("?urls=%2F1&per_page=100")).hasSize(11);
    assertThat(scripts("?exclude_urls=%2F1&per_page=100")).hasSize(9);
    assertThat(scripts("?page_url=h1.example.com%2Fp7")).hasSize(1);
    assertThat(scripts("?order_by=first_seen_at&direction=asc").get(0).get("url").stringValue())
        .endsWith("/0.js");
    assertThat(scripts("?status=infrequent")).isEmpty();
    assertThat(scripts("?status=infrequent&exclude_cdn_cgi=false")).hasSize(1);
    assertThat(api.get("/page_monitor/scripts?export=csv").response().body().lines()).hasSize(21);
  }

  @ParameterizedTest
  @CsvSource({
    "?per_page=0",
    "?per_page=101",
    "?page=0",
    "?page=x",
    "?status=gone",
    "?order_by=url",
    "?direction=up",
    "?exclude_cdn_cgi=1",
    "?export=xml",
    "?export=csv&page=1",
  })
  void parametersOutOfTheirRangeAreRefused(String query) {
    api.get("/page_monitor/scripts" + query).isError(400, 10004);
  }
}
