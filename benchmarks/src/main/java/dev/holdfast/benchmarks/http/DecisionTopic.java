package dev.holdfast.benchmarks.http;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.OneByOne;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Report.Goal;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Series;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.http.Firewall;
import dev.holdfast.http.HttpApi;
import dev.holdfast.http.HttpApiOptions;
import dev.holdfast.http.expression.FilterExpression;
import dev.holdfast.http.expression.FilterRequest;
import dev.holdfast.http.expression.FilterWork;
import dev.holdfast.http.firewall.FirewallAction;
import dev.holdfast.http.firewall.SiteRequest;
import dev.holdfast.http.url.WebUrl;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Decisions of the firewall on one thread: 200 rules of which none matches, and of which the first
 * matches; beside the same expressions, compiled before and evaluated one after the other.
 */
public final class DecisionTopic implements Topic {

  private static final int CALLS_PER_MILLI = 20;
  private static final String URL = "https://rules.example/shop/items?id=42&sort=price";
  private static final Map<String, List<String>> HEADERS =
      Map.of(
          "user-agent", List.of("Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101"),
          "cookie", List.of("session=eyJhbGciOiJIUzI1NiJ9; theme=dark"));

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    HttpApiOptions options = HttpApiOptions.DEFAULT;
    try (ObjectRuntime runtime =
        Holdfast.open(directory, objects -> HttpApi.register(objects, options))) {
      HttpApi api = new HttpApi(runtime, options);
      Firewall firewall = api.firewall();
      String zone = new FirewallApi(api).newZone("rules.example");
      SiteRequest page = SiteRequest.of("GET", URL, HEADERS, "192.0.2.7");
      SiteRequest first = SiteRequest.of("GET", URL, HEADERS, "203.0.113.7");
      List<FilterExpression> expressions = new ArrayList<>();
      for (int i = 0; i < FirewallApi.RULES; i++) {
        expressions.add(FilterExpression.parse(FirewallApi.expression(i)));
      }
      List<Series> series =
          rounds.interleave(
              List.of(
                  new Side(
                      "200 rules, none matches",
                      number -> decide(firewall, zone, page, FirewallAction.NONE)),
                  new Side(
                      "200 rules, the first matches",
                      number -> decide(firewall, zone, first, FirewallAction.BLOCK)),
                  new Side("200 expressions alone", number -> evaluate(expressions, page))));
      report.add("decision of the firewall, one thread", series);
      judge(report, "decision with 200 rules, p50 in us", series.getFirst(), 200);
      judge(report, "decision by the first of 200 rules, p50 in us", series.get(1), 5);
    }
  }

  private static void judge(Report report, String figure, Series series, double micros) {
    report.judge(figure, series.of(round -> round.p50Nanos() / 1e3), Goal.AT_MOST, micros);
  }

  private static void decide(
      Firewall firewall, String zone, SiteRequest request, FirewallAction expected) {
    FirewallAction action = firewall.decide(zone, request).action();
    if (action != expected) {
      throw new IllegalStateException(request.url() + " is answered with " + action);
    }
  }

  private static void evaluate(List<FilterExpression> expressions, SiteRequest request) {
    FilterRequest fields =
        FilterRequest.ofHttp(
                request.method(), WebUrl.of(request.url()), request.headers(), Instant.EPOCH)
            .with("ip.src", request.client());
    FilterWork work = new FilterWork();
    for (FilterExpression expression : expressions) {
      if (expression.matches(fields, work)) {
        throw new IllegalStateException(expression.text() + " matches");
      }
    }
  }

  private record Side(String name, OneByOne.Call call) implements Rounds.Side {

    // A decision is so short that one round does not compile its code.
    @Override
    public void warmUp(Duration round) throws Exception {
      measure(round.multipliedBy(5));
    }

    @Override
    public Measured measure(Duration duration) throws Exception {
      int calls = Math.toIntExact(duration.toMillis() * CALLS_PER_MILLI);
      return OneByOne.run(calls, call, () -> 0);
    }
  }
}
