package dev.holdfast.benchmarks.http;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.http.HttpApi;
import dev.holdfast.http.HttpApiOptions;
import dev.holdfast.http.object.Plan;
import dev.holdfast.http.server.HttpApiServer;
import dev.holdfast.http.server.ServerOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The HTTP API under 64 connections: one script read, firewall rules created, and reports of
 * browsers for 1,000 zones, compared with a handler of the same server that returns a constant.
 */
public final class HttpTopic implements Topic {

  private static final int CONNECTIONS = 64;
  private static final int ZONES = 1_000;

  /** Each has fewer rules after a run than the largest plan allows. */
  private static final int ZONES_WITH_RULES = 500;

  private static final Duration ROUND = Duration.ofSeconds(4);

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    if (!Wrk.isInstalled()) {
      System.out.println("http: not measured, because there is no wrk: apt-get install wrk");
      return;
    }
    Files.createDirectories(directory);
    HttpApiOptions options = HttpApiOptions.DEFAULT;
    try (ObjectRuntime runtime =
            Holdfast.open(
                directory.resolve("data"), objects -> HttpApi.register(objects, options));
        HttpApiServer server =
            HttpApiServer.start(new HttpApi(runtime, options), ServerOptions.DEFAULT)) {
      Load load = new Load(new HttpApi(runtime, options), directory);
      String base = "http://127.0.0.1:" + server.address().getPort();
      Rounds rounds4 = new Rounds(rounds.count(), ROUND);
      measureScript(load, base, rounds4, report);
      measureRules(load, base, rounds4, report);
      report.add(
          "HTTP, reports of browsers into 1,000 zones, 64 connections",
          rounds4.interleave(List.of(new Requests("POST a report", base, load.reports()))));
    }
  }

  private static void measureScript(Load load, String base, Rounds rounds, Report report)
      throws Exception {
    Path script = load.script();
    try (BareServer bare = new BareServer(load.scriptAnswer())) {
      report.add(
          "HTTP, get script, 64 connections",
          rounds.interleave(
              List.of(
                  new Requests("GET a script", base, script),
                  new Requests("constant of the same length", bare.base(), script))));
    }
  }

  private static void measureRules(Load load, String base, Rounds rounds, Report report)
      throws Exception {
    Path rules = load.rules();
    try (BareServer bare = new BareServer(load.ruleAnswer())) {
      report.add(
          "HTTP, create rule, 64 connections",
          rounds.interleave(
              List.of(
                  new Requests("POST a rule with its filter, 500 zones", base, rules),
                  new Requests("constant of the same length", bare.base(), rules))));
    }
  }

  /**
   * A script of requests against a server; each round has a number, for values that must be new.
   */
  private static final class Requests implements Rounds.Side {
    private static final AtomicInteger ROUNDS = new AtomicInteger();

    private final String name;
    private final String base;
    private final Path script;

    Requests(String name, String base, Path script) {
      this.name = name;
      this.base = base;
      this.script = script;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public Measured measure(Duration duration) throws Exception {
      return new Wrk(CONNECTIONS)
          .run(base, script, duration, String.valueOf(ROUNDS.incrementAndGet()));
    }
  }

  /** Zones with their contents, and the requests as wrk scripts. */
  private static final class Load {
    private final Path directory;
    private final FirewallApi requests;
    private final List<String> zones = new ArrayList<>();
    private final List<String> reportPaths = new ArrayList<>();
    private final String scriptPath;

    Load(HttpApi api, Path directory) {
      this.directory = directory;
      requests = new FirewallApi(api);
      for (int i = 0; i < ZONES; i++) {
        String zone = api.operator().createZone("example.com", Plan.ENTERPRISE).id();
        zones.add(zone);
        requests.send("PUT", "/v4/zones/" + zone + "/page_monitor", "", "{\"enabled\":true}");
        reportPaths.add(reportPath(zone));
      }
      for (int i = 0; i < 300; i++) {
        int question = reportPaths.getFirst().indexOf('?');
        requests.send(
            "POST",
            reportPaths.getFirst().substring(0, question),
            reportPaths.getFirst().substring(question + 1),
            report(i % 100));
      }
      String list = "/v4/zones/" + zones.getFirst() + "/page_monitor/scripts";
      scriptPath = list + "/" + between(requests.send("GET", list, "", ""), "\"id\":\"", "\"");
    }

    private String reportPath(String zone) {
      String page =
          "{\"url\":\"http://example.com/\",\"response_headers\":{\"content-type\":\"text/html\"}}";
      String headers =
          requests.send("POST", "/v4/zones/" + zone + "/page_monitor/headers", "", page);
      return "/cdn-cgi/" + between(headers, "/cdn-cgi/", "\"");
    }

    private static String report(int script) {
      return "{\"csp-report\":{\"document-uri\":\"https://www.example.com/\",\"disposition\":\"report\","
                 + "\"effective-directive\":\"script-src-elem\",\"blocked-uri\":\"https://cdn.example.net/"
          + script
          + ".js\"}}";
    }

    String scriptAnswer() {
      return requests.send("GET", scriptPath, "", "");
    }

    String ruleAnswer() {
      return requests.send(
          "POST",
          "/v4/zones/" + zones.getLast() + "/firewall/rules",
          "",
          "[{\"action\":\"block\",\"filter\":{\"expression\":\"ip.src.asnum eq 1000000001\"}}]");
    }

    Path script() throws IOException {
      return Wrk.script(
          directory.resolve("script.lua"),
          """
          wrk.headers["Authorization"] = "Bearer %s"
          function request() return wrk.format("GET", "%s") end
          """
              .formatted(requests.token(), scriptPath));
    }

    /** Numbers are new in each thread and round, so that no expression occurs twice. */
    Path rules() throws IOException {
      return Wrk.script(
          directory.resolve("rules.lua"),
          """
          wrk.headers["Authorization"] = "Bearer %s"
          local zones = { %s }
          local threads = 0
          function setup(thread) threads = threads + 1; thread:set("number", threads) end
          function init(args) next = tonumber(args[1]) * 100000000 + number * 10000000 end
          function request()
            next = next + 1
            return wrk.format("POST", "/v4/zones/" .. zones[next %% #zones + 1] .. "/firewall/rules",
              nil, '[{"action":"block","filter":{"expression":"ip.src.asnum eq ' .. next .. '"}}]')
          end
          """
              .formatted(requests.token(), quoted(zones.subList(0, ZONES_WITH_RULES))));
    }

    Path reports() throws IOException {
      return Wrk.script(
          directory.resolve("reports.lua"),
          """
          wrk.headers["Content-Type"] = "application/csp-report"
          local paths = { %s }
          local bodies = { %s }
          local next = 0
          function request()
            next = next + 1
            return wrk.format("POST", paths[next * 7919 %% #paths + 1], nil, bodies[next %% #bodies + 1])
          end
          """
              .formatted(
                  quoted(reportPaths),
                  IntStream.range(0, 20)
                      .mapToObj(i -> "'" + report(i) + "'")
                      .collect(Collectors.joining(", "))));
    }

    private static String quoted(List<String> texts) {
      return texts.stream().map(text -> "\"" + text + "\"").collect(Collectors.joining(", "));
    }

    private static String between(String text, String before, String after) {
      int from = text.indexOf(before) + before.length();
      return text.substring(from, text.indexOf(after, from));
    }
  }
}
