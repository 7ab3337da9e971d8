package dev.holdfast.http.service.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.http.analysis.ReputationFeed;
import dev.holdfast.http.analysis.ScriptScores;
import dev.holdfast.http.monitor.object.CookieSearch;
import dev.holdfast.http.monitor.object.Detection;
import dev.holdfast.http.monitor.object.DetectionSearch;
import dev.holdfast.http.monitor.object.MonitorPolicy;
import dev.holdfast.http.monitor.object.MonitorZone;
import dev.holdfast.http.monitor.object.MonitoredCookie;
import dev.holdfast.http.monitor.object.PageHeader;
import dev.holdfast.http.monitor.object.PageRequest;
import dev.holdfast.http.monitor.object.PolicyChange;
import dev.holdfast.http.monitor.object.ReportTarget;
import dev.holdfast.http.object.PageRange;
import dev.holdfast.http.object.Plan;
import dev.holdfast.http.object.RefusedException;
import dev.holdfast.http.object.RefusedException.Kind;
import dev.holdfast.http.object.ZoneChanges;
import dev.holdfast.http.object.ZoneProfile;
import dev.holdfast.http.url.WebUrl;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page monitor as an application uses it that has no HTTP API. */
class MonitorZoneTest {

  private static final String ID = "0123456789abcdef0123456789abcdef";
  private static final Instant NOW = Instant.parse("2026-11-21T10:00:00.123456Z");
  private static final Map<String, List<String>> HTML =
      Map.of("content-type", List.of("text/html"), "set-cookie", List.of("a=1; HttpOnly"));
  private static final String REPORT =
      """
      {"csp-report":{"document-uri":"http://example.com/cart","blocked-uri":"%s",
       "effective-directive":"script-src-elem","disposition":"report"}}
      """;

  private final ZoneChanges changes = new ZoneChanges();
  private final InstantSource clock = InstantSource.fixed(NOW);
  private ObjectRuntime runtime;
  private MonitorZone shop;
  private Reporting reporting;

  @BeforeEach
  void open(@TempDir Path directory) {
    Random random = new Random(20_261_129);
    ReputationFeed feed = resource -> resource.contains("evil") ? List.of("Malware") : List.of();
    runtime =
        Holdfast.open(
            directory, objects -> PageMonitors.register(objects, clock, random, feed, changes));
    ObjectNamespace<MonitorZone> zones =
        runtime.namespace(MonitorZone.NAMESPACE, MonitorZone.class);
    shop = zones.getByName(ID);
    shop.configure(ZoneProfile.of(ID, "example.com", Plan.PRO).withPoliciesMax(1));
    shop.changeSettings(shop.settings().on());
    reporting =
        new Reporting(
            zones::getByName,
            zone -> zones.getByName(zone).monitor(),
            new byte[32],
            ReportingOptions.of(clock, random, changes));
  }

  @AfterEach
  void close() {
    runtime.close();
  }

  private List<PageHeader> headers(String path) {
    PageRequest page = PageRequest.of("GET", WebUrl.of("http://example.com" + path), Map.of(), NOW);
    return reporting.headers("", ID, page, HTML);
  }

  /** Sends a report to the address that a header names. */
  private void report(PageHeader header, String script) {
    String query = header.value().substring(header.value().indexOf('?') + 1);
    ReportTarget target = Objects.requireNonNull(reporting.target(query));
    byte[] body = REPORT.formatted(script).getBytes(StandardCharsets.UTF_8);
    reporting.take(target, ByteBuffer.wrap(body), "192.0.2.1");
  }

  @Test
  void whatAPageLoadsIsListedWithItsScores() {
    PageHeader monitor = headers("/cart").getFirst();
    for (int i = 0; i < 3; i++) {
      report(monitor, "https://evil.example.net/x.js");
    }

    Detection script = shop.scripts(DetectionSearch.ACTIVE, null).items().getFirst();
    assertThat(script.url()).isEqualTo("https://evil.example.net/x.js");
    assertThat(script.host()).isEqualTo("example.com");
    assertThat(script.domainCategories()).containsExactly("Malware");
    assertThat(script.newest()).isNull();

    shop.judged(script.id(), "0".repeat(64), new ScriptScores(9, 1, 2, 3, 4, 5));

    Detection judged = shop.script(script.id());
    assertThat(Objects.requireNonNull(judged.newest()).jsIntegrityScore()).isEqualTo(9);
    assertThat(judged.versions()).hasSize(1);
    assertThat(judged.pageUrls()).containsExactly("http://example.com/cart");
    assertThat(shop.connections(DetectionSearch.ACTIVE, new PageRange(1, 15)).items()).isEmpty();
  }

  @Test
  void cookiesOfAPageAreListed() {
    headers("/");
    reporting.storeCookies(ID);

    MonitoredCookie cookie = shop.monitoredCookies(CookieSearch.ACTIVE, null).items().getFirst();

    assertThat(cookie.name()).isEqualTo("a");
    assertThat(cookie.httpOnlyAttribute()).isTrue();
    assertThat(shop.monitoredCookie(cookie.id())).isEqualTo(cookie);
  }

  @Test
  void aPolicyIsAHeaderAndCountsWhatItBlocks() {
    MonitorPolicy policy =
        shop.addPolicy(
            MonitorPolicy.of("allow", "http.request.uri.path eq \"/pay\"", "script-src 'self'"));

    assertThat(headers("/")).hasSize(1);
    PageHeader header = headers("/pay").getLast();
    assertThat(header.name()).isEqualTo("Content-Security-Policy");
    report(header, "https://cdn.example.net/y.js");

    assertThat(shop.violations(policy.id(), new PageRange(1, 15)).items().getFirst().url())
        .isEqualTo("https://cdn.example.net/y.js");
  }

  @Test
  void aChangeOfAPolicyLeavesTheRest() {
    MonitorPolicy policy = shop.addPolicy(MonitorPolicy.of("log", "true", "img-src *"));

    PolicyChange off = new PolicyChange("off", null, null, false, true, null);
    MonitorPolicy changed = shop.changePolicy(policy.id(), off);

    assertThat(changed)
        .isEqualTo(new MonitorPolicy(policy.id(), "off", "log", "true", false, true, "img-src *"));
    assertThat(shop.policies()).containsExactly(changed);
    PolicyChange wrong = new PolicyChange(null, null, "no no", null, false, null);
    assertThat(refused(() -> shop.changePolicy(policy.id(), wrong)).refusals().getFirst().place())
        .isEqualTo("/expression");
    assertThat(refused(() -> shop.changePolicy("nothing", off)).kind()).isEqualTo(Kind.NOT_FOUND);
  }

  @Test
  void aRefusalSaysWhatIsWrongAndWhere() {
    RefusedException wrong =
        refused(() -> shop.addPolicy(MonitorPolicy.of("log", "true", "report-uri /x")));
    assertThat(wrong.refusals().getFirst().place()).isEqualTo("/value");
    assertThat(refused(() -> shop.addPolicy(MonitorPolicy.of("forbid", "true", "img-src *"))))
        .isNotNull();
    assertThat(refused(() -> shop.policy("nothing")).kind()).isEqualTo(Kind.NOT_FOUND);

    shop.addPolicy(MonitorPolicy.of("log", "true", "img-src *"));

    assertThat(refused(() -> shop.addPolicy(MonitorPolicy.of("log", "true", "img-src *"))))
        .hasMessageContaining("2 out of 1");
  }

  private static RefusedException refused(Runnable call) {
    return catchThrowableOfType(RefusedException.class, call::run);
  }
}
