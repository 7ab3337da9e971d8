package dev.holdfast.examples.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.examples.conformance.host.CaseHost;
import dev.holdfast.examples.conformance.host.ChildHost;
import dev.holdfast.examples.conformance.host.Engine;
import dev.holdfast.examples.conformance.host.RuntimeHost;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

/** Replays cases on real objects. Thread-safe. */
final class Replay {

  /** Cases that are under way at once: most of the time of the slow ones is waiting. */
  private static final int CASES_AT_ONCE = 16;

  private final Path directory;
  private final Deviations deviations;

  /**
   * Makes a replay.
   *
   * @param directory an empty directory for the data
   * @param deviations what is on purpose
   */
  Replay(Path directory, Deviations deviations) {
    this.directory = directory;
    this.deviations = deviations;
  }

  /** Replays the cases on each engine that they say anything about. */
  List<Verdict> replay(List<RecordedCase> cases) {
    try (ObjectRuntime runtime = RuntimeHost.open(directory.resolve("shared"));
        ExecutorService threads = Executors.newFixedThreadPool(CASES_AT_ONCE)) {
      List<CompletableFuture<Verdict>> verdicts = new ArrayList<>();
      for (int i = 0; i < cases.size(); i++) {
        RecordedCase recorded = cases.get(i);
        String object = i + " " + recorded.name();
        for (Engine engine : Engine.values()) {
          Optional<JsonNode> expected = expected(recorded, engine);
          if (expected.isPresent()) {
            verdicts.add(
                CompletableFuture.supplyAsync(
                    () -> replay(recorded, engine, expected.get(), runtime, object), threads));
          }
        }
      }
      return verdicts.stream().map(CompletableFuture::join).toList();
    }
  }

  private static Optional<JsonNode> expected(RecordedCase recorded, Engine engine) {
    return engine.backends().stream()
        .flatMap(backend -> Stream.ofNullable(recorded.expected().get(backend)))
        .findFirst();
  }

  private Verdict replay(
      RecordedCase recorded,
      Engine engine,
      JsonNode expected,
      ObjectRuntime runtime,
      String object) {
    ArrayNode actual = JsonNodeFactory.instance.arrayNode();
    String folder = object.replaceAll("[^A-Za-z0-9]+", "-") + "-" + engine.label();
    try (CaseHost host =
        recorded.endsProcess()
            ? new ChildHost(directory.resolve(folder), engine)
            : new RuntimeHost(runtime, engine, object)) {
      // The clock of the case starts with its object, and not with the process it lives in.
      long startMillis = System.currentTimeMillis();
      for (JsonNode step : recorded.steps()) {
        actual.add(host.step(step, startMillis));
      }
    } catch (RuntimeException e) {
      // A recording that we cannot replay is a failure of this case and not of the run.
      actual.addObject().putObject("fatal").put("name", "replay").put("message", e.toString());
    }
    List<String> none = List.of();
    Verdict verdict = judge(recorded, engine, expected, actual, none);
    Optional<Deviations.Rule> rule = deviations.ruleForBackend(recorded, engine);
    if (verdict.outcome() != Verdict.Outcome.FAILED || rule.isEmpty()) {
      return verdict;
    }
    JsonNode instead = Objects.requireNonNull(recorded.expected().get(rule.get().backend()));
    Verdict other = judge(recorded, engine, instead, actual, List.of(rule.get().id()));
    return other.outcome() == Verdict.Outcome.FAILED ? verdict : other;
  }

  private Verdict judge(
      RecordedCase recorded,
      Engine engine,
      JsonNode expected,
      JsonNode actual,
      List<String> reasonsBefore) {
    Comparison comparison = new Comparison();
    comparison.compare(recorded.steps(), expected, actual);
    List<String> reasons = new ArrayList<>(reasonsBefore);
    comparison.passedOver().forEach(what -> reasons.add("no Java counterpart: " + what));
    List<Difference> failures = new ArrayList<>();
    List<Difference> excused = new ArrayList<>();
    Deviations.Rule otherData = null;
    Deviations.Rule otherSchema = null;
    for (Difference difference : comparison.differences()) {
      Deviations.Rule rule = deviations.ruleFor(recorded, engine, difference).orElse(null);
      Deviations.Rule excuse = rule;
      if (excuse == null && !difference.isAboutErrors()) {
        excuse = otherData;
      }
      if (excuse == null && difference.isAboutSchema()) {
        excuse = otherSchema;
      }
      if (!difference.isSame()) {
        if (excuse != null) {
          reasons.add(excuse.id());
        }
        (excuse != null ? excused : failures).add(difference);
      }
      if (rule != null) {
        otherData = rule.changesState() ? rule : otherData;
        otherSchema = rule.changesSchema() ? rule : otherSchema;
      }
    }
    return Verdict.of(recorded.area(), recorded.name(), engine.label(), reasons, failures, excused);
  }
}
