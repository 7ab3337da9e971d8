package dev.holdfast.benchmarks.http;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.http.ApiRequest;
import dev.holdfast.http.ApiResponse;
import dev.holdfast.http.HttpApi;
import dev.holdfast.http.HttpApiOptions;
import dev.holdfast.http.object.Permission;
import dev.holdfast.http.object.Plan;
import dev.holdfast.http.server.HttpApiServer;
import dev.holdfast.http.server.ServerOptions;
import dev.holdfast.http.server.site.SiteProxy;
import dev.holdfast.http.site.SiteOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * A site behind the firewall, whose pages have 1 KiB: requests a second with 200 rules beside the
 * library's proxy alone, and the latency of page views and of the API while visitors flood the site
 * with reports.
 */
public final class SiteTopic implements Topic {

  private static final int CONNECTIONS = 64;
  private static final Duration ROUND = Duration.ofSeconds(4);
  private static final int VIEWS_PER_SECOND = 200;
  private static final int CALLS_PER_SECOND = 100;
  private static final int REPORTS_PER_SECOND = 5_000;
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
      Zones zones = new Zones(new HttpApi(runtime, options));
      Rounds rounds4 = new Rounds(rounds.count(), ROUND);
      String base = "http://127.0.0.1:" + site.address().getPort();
      report.add(
          "site, pages of 1 KiB, 64 connections",
          rounds4.interleave(
              List.of(
                  views("200 rules", base, RULES_DOMAIN, directory),
                  views("200 rules and the basic ruleset", base, MANAGED_DOMAIN, directory),
                  views("the library's proxy alone", bare.base(), RULES_DOMAIN, directory))));
      Paced pages = new Paced(site.address(), VIEWS_PER_SECOND, 4, Zones::page);
      Paced calls = new Paced(server.address(), CALLS_PER_SECOND, 2, zones::call);
      Paced flood = new Paced(site.address(), REPORTS_PER_SECOND, 16, zones::report);
      report.add(
          "site, page views at 200 a second",
          rounds4.interleave(
              List.of(
                  new Steady("no reports", pages, null),
                  new Steady("5,000 reports a second", pages, flood))));
      report.add(
          "API, reads at 100 a second",
          rounds4.interleave(
              List.of(
                  new Steady("no reports", calls, null),
                  new Steady("5,000 reports a second", calls, flood))));
    }
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
      System.out.printf("  reports: %,.0f a second%n", flooded[0].perSecond());
      return measured;
    }
  }

  /** The zones of the site, and requests to them. */
  private static final class Zones {

    private final HttpApi api;
    private final String token;
    private final String zone;
    private final String reportPath;

    Zones(HttpApi api) {
      this.api = api;
      token = api.operator().createToken(List.of(), List.of(Permission.values()));
      zone = api.operator().createZone(RULES_DOMAIN, Plan.ENTERPRISE).id();
      api.operator().importLegacy(zone, "{\"waf\":{\"enabled\":false}}");
      String managed = api.operator().createZone(MANAGED_DOMAIN, Plan.ENTERPRISE).id();
      for (String each : List.of(zone, managed)) {
        send("POST", "/v4/zones/" + each + "/firewall/rules", rules());
        send(
            "PUT",
            "/v4/zones/" + each + "/page_monitor",
            "{\"enabled\":true,\"use_vendor_reporting_endpoint\":false}");
      }
      String page =
          "{\"url\":\"http://"
              + RULES_DOMAIN
              + "/\",\"response_headers\":{\"content-type\":\"text/html\"}}";
      String headers = send("POST", "/v4/zones/" + zone + "/page_monitor/headers", page);
      int from = headers.indexOf("/cdn-cgi/");
      reportPath = headers.substring(from, headers.indexOf('"', from)).split(";", 2)[0];
    }

    /** Rules of five forms, none of which a page view matches. */
    private static String rules() {
      StringJoiner rules = new StringJoiner(",", "[", "]");
      for (int i = 0; i < 200; i++) {
        String expression =
            switch (i % 5) {
              case 0 -> "ip.src in {198.51.100.%d 203.0.113.0/24}".formatted(i);
              case 1 -> "http.request.uri.path eq \\\"/admin/%d\\\"".formatted(i);
              case 2 -> "http.user_agent contains \\\"bot-%d\\\"".formatted(i);
              case 3 ->
                  "http.request.method eq \\\"POST\\\" and http.request.uri.query contains"
                      + " \\\"token%d\\\"".formatted(i);
              default -> "lower(http.request.uri) contains \\\"/private/%d\\\"".formatted(i);
            };
        rules.add("{\"filter\":{\"expression\":\"" + expression + "\"},\"action\":\"block\"}");
      }
      return rules.toString();
    }

    private String send(String method, String path, String body) {
      ApiResponse response =
          api.handle(
              new ApiRequest(
                  method,
                  path,
                  "",
                  Map.of("authorization", List.of("Bearer " + token)),
                  ByteBuffer.wrap(body.getBytes(StandardCharsets.UTF_8))));
      if (response.status() >= 300) {
        throw new IllegalStateException(method + " " + path + " answered " + response);
      }
      return response.body();
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
          + token
          + "\r\n\r\n";
    }

    /** Every report names another script. */
    String report(int number) {
      String body =
          "{\"csp-report\":{\"document-uri\":\"http://"
              + RULES_DOMAIN
              + "/\",\"disposition\":\"report\",\"effective-directive\":\"script-src-elem\","
              + "\"blocked-uri\":\"https://cdn.example.net/"
              + number
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
