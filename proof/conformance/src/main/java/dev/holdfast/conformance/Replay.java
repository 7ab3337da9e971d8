package dev.holdfast.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.conformance.host.CaseHost;
import dev.holdfast.conformance.host.ChildHost;
import dev.holdfast.conformance.host.RuntimeHost;
import dev.holdfast.conformance.host.StorageEngine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.Stream;

/** Replays cases on real objects. Thread-safe. */
final class Replay {

  /** Cases in progress at once: the slow ones spend most of their time waiting. */
  private static final int CASES_AT_ONCE = 16;

  /** Cases with a separate process are few, and a starting process uses much processor time. */
  private static final int PROCESSES_AT_ONCE = 3;

  private final Path directory;
  private final Deviations deviations;
  private final Function<Path, ObjectRuntime> opening;

  /**
   * Creates a replay.
   *
   * @param directory an empty directory for the data
   * @param deviations the intended differences
   * @param opening opens a runtime with the namespaces of the engines; cases that end a process
   *     have another
   */
  Replay(Path directory, Deviations deviations, Function<Path, ObjectRuntime> opening) {
    this.directory = directory;
    this.deviations = deviations;
    this.opening = opening;
  }

  /** Replays the cases on each engine that they cover. */
  List<Verdict> replay(List<RecordedCase> cases) {
    try (ObjectRuntime runtime = opening.apply(directory.resolve("shared"));
        ExecutorService threads = Executors.newFixedThreadPool(CASES_AT_ONCE);
        ExecutorService processes = Executors.newFixedThreadPool(PROCESSES_AT_ONCE)) {
      List<Round> rounds = rounds(cases);
      List<CompletableFuture<Verdict>> first =
          rounds.stream()
              .map(
                  round ->
                      CompletableFuture.supplyAsync(
                          () -> replay(round, runtime),
                          round.recorded().endsProcess() ? processes : threads))
              .toList();
      List<Verdict> verdicts = first.stream().map(CompletableFuture::join).toList();
      List<Verdict> settled = new ArrayList<>();
      for (int i = 0; i < rounds.size(); i++) {
        Round round = rounds.get(i);
        boolean again =
            verdicts.get(i).outcome() == Verdict.Outcome.FAILED && round.recorded().waits();
        // Alone, it has the same time as when it was recorded.
        settled.add(again ? replay(round.again(), runtime) : verdicts.get(i));
      }
      return settled;
    }
  }

  /**
   * A replay of a case on an engine.
   *
   * @param object the name of the object
   */
  private record Round(
      RecordedCase recorded, StorageEngine engine, JsonNode expected, String object) {

    Round again() {
      return new Round(recorded, engine, expected, object + " again");
    }
  }

  private static List<Round> rounds(List<RecordedCase> cases) {
    List<Round> rounds = new ArrayList<>();
    for (int i = 0; i < cases.size(); i++) {
      RecordedCase recorded = cases.get(i);
      String object = i + " " + recorded.name();
      for (StorageEngine engine : StorageEngine.values()) {
        expected(recorded, engine)
            .ifPresent(expected -> rounds.add(new Round(recorded, engine, expected, object)));
      }
    }
    return rounds;
  }

  private static Optional<JsonNode> expected(RecordedCase recorded, StorageEngine engine) {
    return engine.backends().stream()
        .flatMap(backend -> Stream.ofNullable(recorded.expected().get(backend)))
        .findFirst();
  }

  private Verdict replay(Round round, ObjectRuntime runtime) {
    RecordedCase recorded = round.recorded();
    StorageEngine engine = round.engine();
    String object = round.object();
    ArrayNode actual = JsonNodeFactory.instance.arrayNode();
    String folder = object.replaceAll("[^A-Za-z0-9]+", "-") + "-" + engine.label();
    try (CaseHost host =
        recorded.endsProcess()
            ? new ChildHost(directory.resolve(folder), engine)
            : new RuntimeHost(runtime, engine, object)) {
      // The clock of the case starts with its object, not with its process.
      long startMillis = System.currentTimeMillis();
      for (JsonNode step : recorded.steps()) {
        actual.add(host.step(step, startMillis));
      }
    } catch (RuntimeException e) {
      // A recording that cannot be replayed is a failure of this case, not of the run.
      actual.addObject().putObject("fatal").put("name", "replay").put("message", e.toString());
    }
    try {
      return judge(recorded, engine, round.expected(), actual);
    } catch (RuntimeException e) {
      Mismatch unreadable =
          new Mismatch("replay", "", "an answer", e.toString(), null, Set.of(), false);
      List<Mismatch> failures = List.of(unreadable);
      return Verdict.of(
          recorded.area(), recorded.name(), engine.label(), List.of(), failures, List.of());
    }
  }

  /**
   * Compares the answers with the answers of the reference, or of another backend of the reference.
   */
  private Verdict judge(
      RecordedCase recorded, StorageEngine engine, JsonNode expected, ArrayNode actual) {
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
      StorageEngine engine,
      JsonNode expected,
      JsonNode actual,
      List<String> reasonsBefore) {
    TranscriptComparison comparison = new TranscriptComparison();
    comparison.compare(recorded.steps(), expected, actual);
    List<String> reasons = new ArrayList<>(reasonsBefore);
    comparison.passedOver().forEach(what -> reasons.add("no Java counterpart: " + what));
    List<Mismatch> failures = new ArrayList<>();
    List<Mismatch> excused = new ArrayList<>();
    Deviations.Rule otherData = null;
    Deviations.Rule otherSchema = null;
    // The results that only one side has, by slot, with the reason.
    Map<String, Deviations.Rule> missing = new HashMap<>();
    for (Mismatch difference : comparison.differences()) {
      Deviations.Rule rule = deviations.ruleFor(recorded, engine, difference).orElse(null);
      Deviations.Rule excuse = rule;
      if (excuse == null && !difference.isAboutErrors()) {
        excuse = otherData;
      }
      if (excuse == null && difference.isAboutSchema()) {
        excuse = otherSchema;
      }
      if (excuse == null && difference.isSkipped()) {
        excuse = difference.target().map(missing::get).orElse(null);
      }
      if (!difference.isSame()) {
        if (excuse != null) {
          reasons.add(excuse.id());
          record(missing, difference, excuse);
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

  /** Records a result that only one side has: the other side cannot use it. */
  private static void record(
      Map<String, Deviations.Rule> missing, Mismatch difference, Deviations.Rule excuse) {
    difference.result().ifPresent(slot -> missing.put(slot, excuse));
  }
}
