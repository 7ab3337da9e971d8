package dev.holdfast.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.event.ConsumerStatus;
import dev.holdfast.testkit.VirtualClock;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.Tag;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * What Prometheus reads from a runtime, and the pages that are made for it: the dashboard and the
 * table of meters. Maven starts tests in the module's folder.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class PrometheusTest {

  private static final Path OPERATIONS = Path.of("../docs/operations");

  /** A sample, as the text format of Prometheus has it. */
  private static final Pattern SAMPLE =
      Pattern.compile("(?<name>[a-z_]+)(\\{(?<labels>[^}]*)\\})? (?<value>[-+.0-9EInfNa]+)");

  private static final Pattern LABEL = Pattern.compile("(?<name>[a-z_]+)=\"(?<value>[^\"]*)\"");

  /** A metric in a query, with what selects its series. */
  private static final Pattern SELECTOR =
      Pattern.compile("(?<name>holdfast_[a-z_]+)(\\{(?<labels>[^}]*)\\})?");

  /** The labels that a query groups by. */
  private static final Pattern GROUPING = Pattern.compile("by \\((?<labels>[^)]*)\\)");

  private final MockClock clock = new MockClock();
  private final PrometheusMeterRegistry registry = registry(clock);
  private final Map<String, Double> samples = new HashMap<>();
  private final Map<String, Set<String>> labels = new HashMap<>();

  private ObjectRuntime runtime;

  @BeforeAll
  void scrape(@TempDir Path directory) {
    runtime = Holdfast.open(directory, new VirtualClock(), Basket::register);
    SeenRuntime withConsumer = new SeenRuntime(runtime);
    withConsumer.change =
        statistics ->
            HoldfastMetricsTest.withConsumers(
                statistics,
                List.of(new ConsumerStatus("orders", "index", 0, 0, 0, 0, 0, true, false)));
    new HoldfastMetrics(withConsumer.seen).bindTo(registry);
    Basket basket = runtime.namespace(Basket.NAMESPACE, Basket.class).getByName("a");
    basket.add("pear");
    basket.add("plum");
    clock.add(Duration.ofSeconds(1));
    for (String line : scraped()) {
      Matcher sample = SAMPLE.matcher(line);
      assertThat(sample.matches()).as(line).isTrue();
      String selected = sample.group("labels") == null ? "" : sample.group("labels");
      samples.put(
          sample.group("name") + "{" + selected + "}", Double.valueOf(sample.group("value")));
      Set<String> names = labels.computeIfAbsent(sample.group("name"), _ -> new TreeSet<>());
      LABEL.matcher(selected).results().forEach(label -> names.add(label.group("name")));
    }
  }

  @AfterAll
  void close() {
    runtime.close();
  }

  private List<String> scraped() {
    return registry.scrape().lines().filter(line -> !line.startsWith("#")).toList();
  }

  private static PrometheusMeterRegistry registry(MockClock clock) {
    return new PrometheusMeterRegistry(PrometheusConfig.DEFAULT, new PrometheusRegistry(), clock);
  }

  @Test
  void scrapeHasTheCountersAndTimersOfTheRuntime() {
    assertThat(samples)
        .containsEntry("holdfast_calls_total{namespace=\"baskets\",outcome=\"returned\"}", 2.0)
        .containsEntry("holdfast_calls_total{namespace=\"baskets\",outcome=\"threw\"}", 0.0)
        .containsEntry("holdfast_resets_total{namespace=\"baskets\",reason=\"aborted\"}", 0.0)
        .containsEntry("holdfast_journal_records_total{}", 2.0)
        .containsEntry("holdfast_journal_sync_time_seconds_count{}", 2.0)
        .containsEntry("holdfast_journal_sync_time_histogram_total{le=\"+Inf\"}", 2.0)
        .containsEntry("holdfast_objects{namespace=\"baskets\"}", 1.0)
        .containsEntry("holdfast_health{state=\"up\"}", 1.0)
        .containsEntry("holdfast_health_reason{reason=\"disk-nearly-full\"}", 0.0);
    assertThat(samples.get("holdfast_journal_bytes_total{}")).isPositive();
  }

  @Test
  void namespaceThatAppearsDuringAScrapeIsInTheNextOne() {
    MockClock clock = new MockClock();
    PrometheusMeterRegistry other = registry(clock);
    SeenRuntime seen = new SeenRuntime(runtime);
    seen.change = HoldfastMetricsTest::withoutNamespaces;
    new HoldfastMetrics(seen.seen).bindTo(other);
    assertThat(other.scrape()).doesNotContain("holdfast_calls");

    seen.change = UnaryOperator.identity();
    clock.add(Duration.ofSeconds(1));
    other.scrape();
    assertThat(other.scrape())
        .contains("holdfast_calls_total{namespace=\"baskets\",outcome=\"returned\"} 2.0");
  }

  @Test
  void everyQueryOfTheDashboardNamesMetricsAndLabelsThatExist() throws IOException {
    List<String> queries = new ArrayList<>();
    JsonNode dashboard = new ObjectMapper().readTree(OPERATIONS.resolve("grafana.json").toFile());
    dashboard.findValuesAsText("expr").forEach(queries::add);
    dashboard
        .path("templating")
        .path("list")
        .valueStream()
        .filter(variable -> variable.path("type").asText().equals("query"))
        .forEach(variable -> queries.add(variable.path("query").asText()));

    assertThat(queries).hasSizeGreaterThan(20);
    for (String query : queries) {
      Set<String> known = new TreeSet<>();
      List<MatchResult> selectors = SELECTOR.matcher(query).results().toList();
      assertThat(selectors).as(query).isNotEmpty();
      for (MatchResult selector : selectors) {
        assertThat(labels).as(query).containsKey(selector.group("name"));
        Set<String> own = labels.get(selector.group("name"));
        String selected = selector.group("labels") == null ? "" : selector.group("labels");
        assertThat(own).as(query).containsAll(names(selected.replaceAll("[=!~].*?\"(,|$)", ",")));
        known.addAll(own);
      }
      GROUPING
          .matcher(query)
          .results()
          .forEach(by -> assertThat(known).as(query).containsAll(names(by.group("labels"))));
    }
  }

  /** The names of labels; every target of a scrape has {@code job} and {@code instance}. */
  private static List<String> names(String list) {
    return Pattern.compile("[a-z_]+")
        .matcher(list)
        .results()
        .map(MatchResult::group)
        .filter(name -> !name.equals("job") && !name.equals("instance"))
        .toList();
  }

  @Test
  void tableOfMetersIsWhatIsRegistered() throws IOException {
    Set<String> rows =
        registry.getMeters().stream()
            .map(Meter::getId)
            .filter(id -> !id.getName().endsWith(".histogram"))
            .map(PrometheusTest::row)
            .collect(Collectors.toCollection(TreeSet::new));
    List<String> table =
        Files.readAllLines(OPERATIONS.resolve("metrics.md")).stream()
            .filter(line -> line.startsWith("| `holdfast."))
            .toList();

    assertThat(table).containsExactlyInAnyOrderElementsOf(rows);
  }

  private static String row(Meter.Id id) {
    String unit = id.getBaseUnit() == null ? "" : id.getBaseUnit();
    String tags =
        id.getTags().stream()
            .map(Tag::getKey)
            .map(key -> "`" + key + "`")
            .collect(Collectors.joining(", "));
    return "| `%s` | %s | %s | %s | %s |"
        .formatted(id.getName(), type(id), unit, tags, id.getDescription())
        .replaceAll(" +", " ");
  }

  private static String type(Meter.Id id) {
    return switch (id.getType()) {
      case COUNTER -> "counter";
      case GAUGE -> "gauge";
      case TIMER -> "timer";
      default -> id.getType().name();
    };
  }
}
