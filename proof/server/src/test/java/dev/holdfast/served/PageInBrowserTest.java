package dev.holdfast.served;

import static dev.holdfast.served.MonitoredSite.BACKEND;
import static dev.holdfast.served.MonitoredSite.CDN;
import static dev.holdfast.served.MonitoredSite.EVIL;
import static dev.holdfast.served.MonitoredSite.SHOP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.browser.Chromium;
import dev.holdfast.http.object.ZoneProfile;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Pages whose headers come from the zone, in a real browser, whose reports go back to the zone. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PageInBrowserTest {

  private ServedApi served;
  private Chromium browser;
  private ZoneProfile zone;

  @BeforeAll
  void start(@TempDir Path directory) {
    Optional<Path> installed = Chromium.find();
    assumeTrue(installed.isPresent(), "no Chromium: apt-get install chromium");
    served = new ServedApi(directory.resolve("data"));
    browser = Chromium.start(installed.orElseThrow(), directory.resolve("profile"));
  }

  @AfterAll
  void stop() {
    if (browser != null) {
      browser.close();
    }
    if (served != null) {
      served.close();
    }
  }

  @BeforeEach
  void makeZone() {
    zone = served.newZone("example.test");
  }

  private void monitor() {
    String settings = "{\"enabled\":true,\"use_vendor_reporting_endpoint\":false}";
    served.send("PUT", zone, "/page_monitor", settings);
  }

  private String addPolicy(String action, String value) {
    return served
        .send(
            "POST",
            zone,
            "/page_monitor/policies",
            """
            {"description":"","action":"%s","expression":"http.host eq %s","enabled":true,
             "value":"%s"}
            """
                .formatted(action, SHOP, value))
        .get("id")
        .stringValue();
  }

  private List<String> urls(String path) {
    return served.send("GET", zone, "/page_monitor" + path, "").findValuesAsString("url");
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "https"})
  void whatABrowserReportsIsListedAndActiveAfterThreeLoads(String scheme, @TempDir Path directory)
      throws Exception {
    monitor();
    try (MonitoredSite site = start(scheme, directory)) {
      String own = site.origin(SHOP) + "/own.js";
      String library = site.origin(CDN) + "/lib.js";
      String connection = site.origin(BACKEND);
      Set<String> expected = Set.of(own, library, connection + "/data?session=7");

      for (int load = 1; load <= 3; load++) {
        browser.load(site.origin(SHOP) + "/?load=" + load);
        assertThat(site.awaitReportsOf(expected))
            .extracting(MonitoredSite.Report::contentType)
            .containsOnly("application/csp-report");
        // The monitor blocks nothing.
        assertThat(browser.hasRun("ownHasRun")).isTrue();
        assertThat(browser.hasRun("libraryHasRun")).isTrue();
        boolean active = load == 3;
        assertThat(urls("/scripts?status=" + (active ? "active" : "infrequent")))
            .containsExactlyInAnyOrder(own, library);
        assertThat(urls("/scripts")).hasSize(active ? 2 : 0);
      }

      assertThat(urls("/connections")).containsExactly(connection);
      JsonNode script = served.send("GET", zone, "/page_monitor/scripts?urls=lib.js", "").get(0);
      assertThat(script.get("host").stringValue()).isEqualTo(SHOP);
      assertThat(script.get("first_page_url").stringValue()).isEqualTo(site.origin(SHOP) + "/");
      JsonNode cookie = served.send("GET", zone, "/page_monitor/cookies", "").get(0);
      assertThat(cookie.get("name").stringValue()).isEqualTo("basket");
      assertThat(cookie.get("type").stringValue()).isEqualTo("first_party");
    }
  }

  @Test
  void workersFramesWithoutAnAddressAndImagesAreSeen(@TempDir Path directory) throws Exception {
    monitor();
    try (MonitoredSite site = start("https", directory)) {
      String imported = site.origin(CDN) + "/imported.js";
      String framed = site.origin(CDN) + "/framed.js";
      browser.load(site.origin(SHOP) + "/hidden");
      site.awaitReportsOf(
          Set.of(
              imported,
              framed,
              site.origin(EVIL) + "/stolen",
              site.origin(EVIL) + "/image?card=1"));

      assertThat(urls("/scripts?status=infrequent")).contains(imported, framed);
      assertThat(urls("/connections?status=infrequent")).containsExactly(site.origin(EVIL));
    }
  }

  private MonitoredSite start(String scheme, Path directory) throws Exception {
    return scheme.equals("https")
        ? MonitoredSite.startSecure(served.api(), zone, directory)
        : MonitoredSite.start(served.api(), zone);
  }

  @Test
  void anAllowPolicyBlocksWhatItDoesNotAllowAndALogPolicyOnlyReportsIt() throws Exception {
    served.send("PUT", zone, "/page_monitor", "{\"use_vendor_reporting_endpoint\":false}");
    String log = addPolicy("log", "script-src 'self'");
    try (MonitoredSite site = MonitoredSite.start(served.api(), zone)) {
      String library = site.origin(CDN) + "/lib.js";
      browser.load(site.origin(SHOP) + "/");
      site.awaitReportsOf(Set.of(library));
      assertThat(browser.hasRun("libraryHasRun")).isTrue();
      assertThat(browser.hasRun("inlineHasRun")).isTrue();

      String allow = addPolicy("allow", "script-src 'self'");
      browser.load(site.origin(SHOP) + "/");
      awaitViolation(site, library, allow);

      assertThat(browser.hasRun("ownHasRun")).isTrue();
      assertThat(browser.hasRun("libraryHasRun")).isFalse();
      assertThat(browser.hasRun("inlineHasRun")).isFalse();
      assertThat(actions(log)).containsExactly("log");
      assertThat(actions(allow)).containsExactly("allow");

      served.send(
          "PUT",
          zone,
          "/page_monitor/policies/" + allow,
          "{\"value\":\"script-src 'unsafe-inline' " + site.origin(CDN) + "\"}");
      browser.load(site.origin(SHOP) + "/");

      assertThat(browser.hasRun("ownHasRun")).isFalse();
      assertThat(browser.hasRun("libraryHasRun")).isTrue();
      assertThat(browser.hasRun("inlineHasRun")).isTrue();
    }
  }

  @Test
  void whatTheSitesOwnPolicyBlocksIsReportedWhenReportingDirectivesAreAdded() throws Exception {
    served.send("PUT", zone, "/page_monitor", "{\"use_vendor_reporting_endpoint\":false}");
    String policy = addPolicy("add_reporting_directives", "script-src 'none'");
    try (MonitoredSite site = MonitoredSite.start(served.api(), zone)) {
      site.setOwnPolicy("script-src 'self'");
      browser.load(site.origin(SHOP) + "/");
      site.awaitReportsOf(Set.of(site.origin(CDN) + "/lib.js"));

      assertThat(browser.hasRun("ownHasRun")).isTrue();
      assertThat(browser.hasRun("libraryHasRun")).isFalse();
      assertThat(actions(policy)).containsExactly("allow");
    }
  }

  /** Both policies report the same script: waits for the report that one of them gets. */
  private void awaitViolation(MonitoredSite site, String url, String policy)
      throws InterruptedException {
    while (actions(policy).isEmpty()) {
      site.awaitReportsOf(Set.of(url));
    }
  }

  private List<String> actions(String policy) {
    return served
        .send("GET", zone, "/page_monitor/policies/" + policy + "/violations", "")
        .findValuesAsString("action");
  }
}
