package dev.holdfast.benchmarks.http;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Report.Goal;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Series;
import dev.holdfast.benchmarks.harness.Spread;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.http.HttpApi;
import dev.holdfast.http.HttpApiOptions;
import dev.holdfast.http.call.Zone;
import dev.holdfast.http.object.Plan;
import dev.holdfast.http.server.HttpApiServer;
import dev.holdfast.http.server.ServerOptions;
import dev.holdfast.http.server.site.SiteProxy;
import dev.holdfast.http.site.SiteOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A site behind the firewall, whose pages have 1 KiB: requests a second with 200 rules beside the
 * library's proxy alone, and the latency of page views and of the API while visitors flood the site
 * with reports; and what the flood has left in the journal and in the list of scripts.
 */
public final class SiteTopic implements Topic {

  private static final int CONNECTIONS = 64;
  private static final Duration ROUND = Duration.ofSeconds(4);
  private static final int VIEWS_PER_SECOND = 200;
  private static final int CALLS_PER_SECOND = 100;
  private static final int REPORTS_PER_SECOND = 5_000;
  private static final int REAL_SCRIPTS = 20;
  private static final double KIB = 1_024;
  private static final String RULES_DOMAIN = "rules.example";
  private static final String MANAGED_DOMAIN = "managed.example";

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    if (!Wrk.isInstalled()) {
      System.out.println("site: not measured, because there is no wrk: apt-get install wrk");
      return;
    }
    Files.createDirectories(directory);
    HttpApiOptions options = HttpApiOptions.DEFAULT.withReportBase("");
    try (ObjectRuntime runtime =
            Holdfast.open(
                directory.resolve("data"), objects -> HttpApi.register(objects, options));
        HttpApiServer server =
            HttpApiServer.start(new HttpApi(runtime, options), ServerOptions.DEFAULT);
        BareServer origin = new BareServer("x".repeat(1_024));
        BareProxy bare = new BareProxy(URI.create(origin.base()));
        SiteProxy site =
            SiteProxy.start(
                new HttpApi(runtime, options),
                SiteOptions.DEFAULT,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                URI.create(origin.base()),
                Duration.ofMinutes(1),
                null)) {
      Zones zones = new Zones(new FirewallApi(new HttpApi(runtime, options)));
      Rounds rounds4 = new Rounds(rounds.count(), ROUND);
      String base = "http://127.0.0.1:" + site.address().getPort();
      List<Series> views =
          rounds4.interleave(
              List.of(
                  views("200 rules", base, RULES_DOMAIN, directory),
                  views("200 rules and the basic ruleset", base, MANAGED_DOMAIN, directory),
                  views("the library's proxy alone", bare.base(), RULES_DOMAIN, directory)));
      report.add("site, pages of 1 KiB, 64 connections", views);
      report.judge(
          "site, 200 rules: rate / the library's proxy alone",
          views.getFirst().rateRatio(views.getLast()),
          Goal.AT_LEAST,
          0.7);
      new Paced(site.address(), VIEWS_PER_SECOND, 1, zones::realReport)
          .run(Duration.ofMillis(5_000L * REAL_SCRIPTS / VIEWS_PER_SECOND));
      Paced pages = new Paced(site.address(), VIEWS_PER_SECOND, 4, Zones::page);
      Paced calls = new Paced(server.address(), CALLS_PER_SECOND, 2, zones::call);
      Paced flood = flood(site.address(), zones::report);
      Paced bareFlood = flood(bare.address(), zones::report);
      long before = journalBytes(runtime);
      Instant began = Instant.now();
      flooded(report, rounds4, "site, page views at 200 a second", pages, flood, bareFlood);
      flooded(report, rounds4, "API, reads at 100 a second", calls, flood, bareFlood);
      // A zone writes at most 1 MiB in each hour that the flood has touched.
      long hours = 1 + Duration.between(began, Instant.now()).toHours();
      report.judge(
          "flood of reports: KiB of journal for an hour of a zone",
          Spread.of(List.of((journalBytes(runtime) - before) / KIB / hours)),
          Goal.AT_MOST,
          1_024);
      report.judge(
          "flood of reports: scripts that are wrong in the list of the active ones",
          Spread.of(List.of(zones.wrongInList())),
          Goal.AT_MOST,
          0);
    }
  }

  /** What zones have written into the journal. */
  private static long journalBytes(ObjectRuntime runtime) {
    return Objects.requireNonNull(runtime.statistics().namespaces().get(Zone.NAMESPACE))
        .batchBytes();
  }

  private static Paced flood(InetSocketAddress address, IntFunction<String> requests) {
    return new Paced(address, REPORTS_PER_SECOND, 16, requests);
  }

  /**
   * The last side sends the same requests to the library's proxy alone: what is between it and the
   * side without a flood is the cost of the machine and of the generator.
   */
  private static void flooded(
      Report report, Rounds rounds, String topic, Paced load, Paced flood, Paced bareFlood)
      throws Exception {
    List<Series> series =
        rounds.interleave(
            List.of(
                new Steady("no reports", load, null),
                new Steady("5,000 reports a second", load, flood),
                new Steady("the same to the library's proxy alone", load, bareFlood)));
    report.add(topic, series);
    report.judge(
        topic + ": p99 with 5,000 reports a second / without",
        series.get(1).tailRatio(series.getFirst()),
        Goal.AT_MOST,
        2);
  }

  private static Rounds.Side views(String name, String base, String host, Path directory)
      throws Exception {
    Path script =
        Wrk.script(
            directory.resolve(host + ".lua"),
            """
            wrk.headers["Host"] = "%s"
            wrk.headers["User-Agent"] = "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101"
            wrk.headers["Cookie"] = "session=eyJhbGciOiJIUzI1NiJ9; theme=dark"
            function request() return wrk.format("GET", "/shop/items?id=42&sort=price") end
            """
                .formatted(host));
    return new Rounds.Side() {
      @Override
      public String name() {
        return name;
      }

      // The code of a request is so much that one round does not compile it.
      @Override
      public void warmUp(Duration round) throws Exception {
        measure(round.multipliedBy(5));
      }

      @Override
      public Measured measure(Duration duration) throws Exception {
        return new Wrk(CONNECTIONS).run(base, script, duration, "");
      }
    };
  }

  /** A steady load, alone or beside a flood. */
  private record Steady(String name, Paced load, @Nullable Paced flood) implements Rounds.Side {

    @Override
    public Measured measure(Duration duration) throws Exception {
      if (flood == null) {
        return load.run(duration);
      }
      Measured[] flooded = new Measured[1];
      Thread reports =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      flooded[0] = flood.run(duration);
                    } catch (Exception e) {
                      throw new IllegalStateException(e);
                    }
                  });
      Measured measured = load.run(duration);
      reports.join();
      System.out.printf("  flood: %,.0f a second%n", flooded[0].perSecond());
      return measured;
    }
  }

  /** The zones of the site, and requests to them. */
  private static final class Zones {

    private final FirewallApi api;
    private final String zone;
    private final String reportPath;
    private final AtomicInteger reported = new AtomicInteger();

    Zones(FirewallApi api) {
      this.api = api;
      zone = api.newZone(RULES_DOMAIN);
      String managed = api.api().operator().createZone(MANAGED_DOMAIN, Plan.ENTERPRISE).id();
      api.addRules(managed);
      for (String each : List.of(zone, managed)) {
        api.send(
            "PUT",
            "/v4/zones/" + each + "/page_monitor",
            "",
            "{\"enabled\":true,\"use_vendor_reporting_endpoint\":false}");
      }
      String page =
          "{\"url\":\"http://"
              + RULES_DOMAIN
              + "/\",\"response_headers\":{\"content-type\":\"text/html\"}}";
      String headers = api.send("POST", "/v4/zones/" + zone + "/page_monitor/headers", "", page);
      int from = headers.indexOf("/cdn-cgi/");
      reportPath = headers.substring(from, headers.indexOf('"', from)).split(";", 2)[0];
    }

    static String page(int number) {
      return "GET /shop/items?id="
          + number
          + " HTTP/1.1\r\nHost: "
          + RULES_DOMAIN
          + "\r\nUser-Agent: Mozilla/5.0\r\n\r\n";
    }

    String call(int number) {
      return "GET /client/v4/zones/"
          + zone
          + "/page_monitor/scripts?page="
          + (1 + number % 3)
          + " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer "
          + api.token()
          + "\r\n\r\n";
    }

    /** Every report names another script, in all rounds. */
    String report(int number) {
      return reportOf("invented-" + reported.incrementAndGet());
    }

    /** Scripts that pages use: each is reported as often as makes it active. */
    String realReport(int number) {
      return reportOf("real-" + number % REAL_SCRIPTS);
    }

    /** How many scripts are wrong in the list of the active ones: real or invented. */
    double wrongInList() {
      String list = api.send("GET", "/v4/zones/" + zone + "/page_monitor/scripts", "page=all", "");
      int real = 0;
      int listed = list.split("\"url\":", -1).length - 1;
      for (int i = 0; i < REAL_SCRIPTS; i++) {
        real += list.contains("/real-" + i + ".js\"") ? 1 : 0;
      }
      return REAL_SCRIPTS - real + (listed - real);
    }

    private String reportOf(String script) {
      String body =
          "{\"csp-report\":{\"document-uri\":\"http://"
              + RULES_DOMAIN
              + "/\",\"disposition\":\"report\",\"effective-directive\":\"script-src-elem\","
              + "\"blocked-uri\":\"https://cdn.example.net/"
              + script
              + ".js\"}}";
      return "POST "
          + reportPath
          + " HTTP/1.1\r\nHost: "
          + RULES_DOMAIN
          + "\r\nContent-Type: application/csp-report\r\nContent-Length: "
          + body.length()
          + "\r\n\r\n"
          + body;
    }
  }
}
