package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.call.Zone;
import dev.holdfast.http.object.Plan;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What visitors can make a zone write, counted in the records of the journal. */
class ReportJournalTest {

  /** The detections that a zone lists. */
  private static final int DETECTIONS_KEPT_MAX = 5_000;

  private static final long BYTES_AN_HOUR_MAX = 1 << 20;
  private static final int FLOODS = "long".equals(System.getProperty("holdfast.tests")) ? 130 : 2;
  private static final long SEED = 20_261_122;
  private static final String PAGE = "http://example.com/";
  private static final String ACTIVE = "http://cdn.example/known.js";

  private final Random random = new Random(SEED);
  private @TempDir Path directory;
  private ApiFixture api;
  private String endpoint;
  private String client = "127.0.0.1";

  @BeforeEach
  void start() {
    api = new ApiFixture(directory, Plan.ENTERPRISE);
    api.put("/page_monitor", "{\"enabled\":true}").isOk();
    endpoint = api.reportAddress(PAGE);
  }

  @AfterEach
  void stop() {
    api.close();
  }

  private static String report(String page, String url, long age) {
    return """
    {"type":"csp-violation","age":%d,"body":{"documentURL":"%s","blockedURL":"%s",
     "effectiveDirective":"script-src","disposition":"enforce"}}
    """
        .formatted(age, page, url);
  }

  private String text(int length) {
    StringBuilder text = new StringBuilder();
    while (text.length() < length) {
      text.append(Long.toString(random.nextLong(1L << 60), 36));
    }
    return text.substring(0, length);
  }

  /** As many as a body holds. */
  private void flood(String address, int urlLength, int pageLength, String known) {
    StringBuilder body = new StringBuilder("[");
    long age = 0;
    while (body.length() < 64 * 1_024 - 4_700) {
      String url = known.isEmpty() ? "http://a.example/" + text(urlLength) : known;
      body.append(body.length() > 1 ? "," : "")
          .append(report(PAGE + text(pageLength), url, age += 1_000));
    }
    send(address, body.append(']').toString());
  }

  private void send(String address, String body) {
    String[] parts = address.split("\\?", 2);
    ApiResponse response =
        api.api.handle(
            new ApiRequest(
                    "POST",
                    parts[0],
                    parts[1],
                    Map.of(),
                    ByteBuffer.wrap(body.getBytes(StandardCharsets.UTF_8)))
                .withClient(client));
    assertThat(response.status()).isEqualTo(204);
  }

  private long bytes() {
    return JournalBytes.of(directory, Zone.NAMESPACE);
  }

  @Test
  void visitorsWriteAtMostOneMebibyteOfJournalAnHour() {
    String policy =
        """
        {"description":"x","action":"allow","expression":"true","enabled":true,
         "value":"script-src 'self'"}
        """;
    api.post("/page_monitor/policies", policy).isOk();
    String ofPolicy = policyAddress();
    for (int i = 0; i < 3; i++) {
      api.reportScript(PAGE, ACTIVE);
    }
    int listed = 0;
    for (int hour = 0; hour < FLOODS; hour++) {
      long before = bytes();
      for (int minute = 0; minute < 60; minute += 5) {
        client = "10.0.0." + minute;
        flood(endpoint, 1_900, 1_900, "");
        flood(endpoint, 4, 4, "");
        flood(endpoint, 0, 1_900, ACTIVE);
        flood(ofPolicy, 1_900, 1_900, "");
        flood(ofPolicy, 0, 1_900, ACTIVE);
        cookies(minute);
        api.get("/page_monitor/cookies").isOk();
        api.clock.advance(Duration.ofMinutes(5));
      }
      assertThat(bytes() - before).as("hour " + hour).isBetween(100_000L, BYTES_AN_HOUR_MAX);
      int now =
          api.get("/page_monitor/scripts?status=infrequent")
              .isOk()
              .json()
              .at("/result_info/total_count")
              .intValue();
      assertThat(now).isGreaterThan(listed);
      listed = hour < 20 ? now : 0;
    }
  }

  private void cookies(int minute) {
    StringBuilder cookies = new StringBuilder();
    for (int i = 0; i < 99; i++) {
      cookies.append(text(40)).append("=1;");
    }
    String description =
        """
        {"url":"%s","headers":{"cookie":"%s"},"response_headers":{"content-type":"text/html"}}
        """
            .formatted(PAGE + text(1_000) + minute, cookies);
    api.post("/page_monitor/headers", description).isOk();
  }

  private String policyAddress() {
    String description =
        "{\"url\":\"%s\",\"response_headers\":{\"content-type\":\"text/html\"}}".formatted(PAGE);
    String headers = api.post("/page_monitor/headers", description).isOk().result().toString();
    int last = headers.lastIndexOf("/cdn-cgi");
    return headers.substring(last, headers.indexOf('"', last)).split(";", 2)[0];
  }

  @Test
  void whatVisitorsRepeatLeavesRoomForWhatIsNew() {
    for (int i = 0; i < 3; i++) {
      api.reportScript(PAGE, ACTIVE);
    }
    for (int i = 0; i < 5; i++) {
      flood(endpoint, 0, 1_900, ACTIVE);
      api.clock.advance(Duration.ofSeconds(61));
    }

    for (int i = 0; i < 3; i++) {
      api.reportScript(PAGE, "http://cdn.example/new.js");
    }

    var found = api.get("/page_monitor/scripts?urls=new.js").isOk().result();
    assertThat(found).hasSize(1);
    assertThat(found.get(0).get("status").stringValue()).isEqualTo("active");
  }

  @Test
  void inventedUrlsDoNotHideOneThatIsReportedAgain() {
    for (int i = 0; i < 60; i++) {
      flood(endpoint, 20, 4, "");
    }

    for (int i = 0; i < 5; i++) {
      api.reportScript(PAGE, "http://cdn.example/skimmer.js");
    }

    assertThat(api.get("/page_monitor/scripts?urls=skimmer.js").isOk().result()).hasSize(1);
  }

  @Test
  void zoneThatIsFullGivesUpWhatWasSeenOnceLongAgo() {
    int listed = 0;
    for (int hour = 0; hour < 80; hour++) {
      for (int source = 0; source < 2; source++) {
        flood("10.0.0." + source);
        // The same again from elsewhere: two that agree are believed.
        flood("10.0.1." + source);
      }
      api.clock.advance(Duration.ofHours(1));
      if (hour % 20 == 19) {
        int now = infrequent();
        assertThat(now).isBetween(listed, DETECTIONS_KEPT_MAX);
        listed = now;
      }
    }
    assertThat(listed).isEqualTo(DETECTIONS_KEPT_MAX);
    assertThat(api.get("/page_monitor/scripts").isOk().json().get("messages").toString())
        .contains("maximum of 5000");

    api.reportScript(PAGE, "http://cdn.example/new.js");

    assertThat(infrequent()).isEqualTo(DETECTIONS_KEPT_MAX);
    assertThat(api.get("/page_monitor/scripts?status=infrequent&urls=new.js").isOk().result())
        .hasSize(1);
  }

  private int number;

  /** A hundred invented URLs, which are the same for the sources that end alike. */
  private void flood(String from) {
    int first = number;
    StringBuilder body = new StringBuilder("[");
    for (int i = 0; i < 100; i++) {
      body.append(i == 0 ? "" : ",").append(report(PAGE, "http://a.example/" + (first + i), 0));
    }
    number = from.startsWith("10.0.1.") ? first + 100 : first;
    client = from;
    send(endpoint, body.append(']').toString());
  }

  @Test
  void sourceAloneNeitherFillsAZoneNorTheHourOfTheOthers() {
    for (int times = 0; times < 5; times++) {
      for (int i = 0; i < 5; i++) {
        number = i * 100;
        flood("10.0.0.9");
      }
    }
    int alone = infrequent() + scripts("?per_page=1");
    assertThat(alone).isBetween(20, 60);

    reportOnce("10.0.0.1", "http://cdn.example/rare.js");
    reportOnce("10.0.0.2", "http://cdn.example/rare.js");

    assertThat(scripts("?status=infrequent&urls=rare.js")).isEqualTo(1);
  }

  /** A visit of a page with many scripts, as browsers report it: some in each body. */
  private void visit(String from, String name, int scripts) {
    client = from;
    api.clock.advance(Duration.ofSeconds(1));
    for (int first = 0; first < scripts; first += 15) {
      StringBuilder body = new StringBuilder("[");
      for (int i = first; i < Math.min(scripts, first + 15); i++) {
        body.append(i == first ? "" : ",")
            .append(report(PAGE, "http://cdn.example/" + name + i + ".js", 0));
      }
      send(endpoint, body.append(']').toString());
    }
  }

  @Test
  void twoAddressesDoNotHideWhatManyVisitorsReport() {
    for (int times = 0; times < 2; times++) {
      visit("10.0.0.1", "invented", 360);
      visit("10.0.0.2", "invented", 360);
    }

    for (int visitor = 0; visitor < 25; visitor++) {
      // The attack goes on between the visits.
      visit("10.0.0." + (1 + visitor % 2), "more" + visitor + "-", 360);
      reportOnce("192.0.2." + visitor, "http://cdn.example/skimmer.js");
    }

    assertThat(scripts("?status=active&urls=skimmer.js")).isEqualTo(1);
  }

  @Test
  void busyPageFillsTheList() {
    for (int visitor = 0; visitor < 30; visitor++) {
      visit("192.0.2." + visitor, "own", 300);
    }

    assertThat(scripts("?status=active&per_page=1")).isEqualTo(300);
  }

  @Test
  void whatManySourcesReportIsBoundedToo() {
    long before = bytes();
    for (int source = 0; source < 25; source++) {
      visit("198.51.100." + source, "agreed", 900);
    }

    assertThat(scripts("?status=active&per_page=1")).isBetween(300, 600);
    assertThat(bytes() - before).isLessThan(3 * BYTES_AN_HOUR_MAX);
  }

  @Test
  void listSaysWhenTheHourlyLimitIsReached() {
    assertThat(api.get("/page_monitor/scripts").isOk().json().get("messages")).isEmpty();
    for (int i = 0; i < 20; i++) {
      flood("10.0.0." + i);
      flood("10.0.1." + i);
    }

    assertThat(api.get("/page_monitor/scripts").isOk().json().get("messages").toString())
        .contains("hourly limit");
    api.clock.advance(Duration.ofHours(1));
    assertThat(api.get("/page_monitor/scripts").isOk().json().get("messages")).isEmpty();
  }

  @Test
  void inventedCookiesAndViolationsTakeNothingFromReports() {
    String policy =
        """
        {"description":"x","action":"allow","expression":"true","enabled":true,
         "value":"script-src 'self'"}
        """;
    api.post("/page_monitor/policies", policy).isOk();
    String ofPolicy = policyAddress();
    for (int i = 0; i < 20; i++) {
      flood(ofPolicy, 1_900, 1_900, "");
      cookies(i);
      api.get("/page_monitor/cookies").isOk();
      api.clock.advance(Duration.ofSeconds(1));
    }

    api.reportScript(PAGE, "http://cdn.example/new.js");

    assertThat(scripts("?status=infrequent&urls=new.js")).isEqualTo(1);
  }

  private void reportOnce(String from, String script) {
    client = from;
    send(endpoint, "[" + report(PAGE, script, 0) + "]");
  }

  private int scripts(String query) {
    return api.get("/page_monitor/scripts" + query)
        .isOk()
        .json()
        .at("/result_info/total_count")
        .intValue();
  }

  private int infrequent() {
    return api.get("/page_monitor/scripts?status=infrequent&per_page=1")
        .isOk()
        .json()
        .at("/result_info/total_count")
        .intValue();
  }

  @Test
  void clockThatWasAheadAndWasPutRightHoldsNoReportsBack() {
    for (int i = 0; i < 20; i++) {
      flood(endpoint, 1_900, 1_900, "");
    }
    api.clock.advance(Duration.ofDays(-300));

    api.reportScript(PAGE, "http://cdn.example/new.js");

    assertThat(api.get("/page_monitor/scripts?status=infrequent&urls=new.js").isOk().result())
        .hasSize(1);
  }

  @Test
  void restartGivesVisitorsNothingMoreToWrite() {
    for (int i = 0; i < 20; i++) {
      flood(endpoint, 1_900, 1_900, "");
    }
    long before = bytes();
    api.close();
    api = new ApiFixture(directory, Plan.ENTERPRISE);
    for (int i = 0; i < 5; i++) {
      flood(endpoint, 1_900, 1_900, "");
    }
    assertThat(bytes() - before).isLessThan(64 * 1_024);
  }
}
