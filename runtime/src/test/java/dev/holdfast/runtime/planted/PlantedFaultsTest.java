package dev.holdfast.runtime.planted;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.faults.TestProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Plants each fault in a copy of the engine and runs the engine's tests on it, in a JVM of its own:
 * one must fail, or the run must hang. The score is kept in {@code docs/planted-faults.md}.
 *
 * <p>{@code -Dplanted=regex} tries only the faults in whose description the expression is found.
 */
final class PlantedFaultsTest {

  /** Quick ones first: a run ends with the first failure. */
  private static final List<String> TESTS =
      List.of(
          "calls.CallsTest",
          "calls.CallOrderTest",
          "turns.InterleavingTest",
          "turns.CriticalSectionTest",
          "ReferenceCasesTest",
          "turns.OutputGateTest",
          "turns.UnconfirmedWriteTest",
          "failures.FailedJournalTest",
          "failures.StalledJournalTest",
          "calls.CallsBetweenObjectsTest",
          "lifecycle.ResetTest",
          "turns.DeadlockTest",
          "calls.QueueWorkerTest",
          "calls.FairnessTest",
          "failures.ExhaustionTest",
          "failures.FailedTurnTest",
          "calls.LoadTest",
          "lifecycle.LifecycleTest",
          "lifecycle.ClosingTest",
          "internal.gate.InputGateInterleavingTest",
          "turns.EngineInterleavingTest",
          "failures.ExhaustionInterleavingTest",
          "calls.CallOrderInterleavingTest",
          "lifecycle.ResetInterleavingTest",
          "outbox.OutboxInterleavingTest",
          "failures.StackOverflowTest",
          "failures.DeepStackTest",
          "turns.RandomProgramsTest");

  /** Which tests are likely to find a fault of a class; tried before all others. */
  private static final Map<String, List<String>> LIKELY =
      Map.ofEntries(
          entry(
              "InputGate.java",
              List.of("turns.InterleavingTest", "calls.LoadTest", "turns.CriticalSectionTest")),
          entry("WaiterQueue.java", List.of("calls.LoadTest")),
          entry("OutputGate.java", List.of("turns.OutputGateTest")),
          entry(
              "Waits.java",
              List.of(
                  "turns.OutputGateTest",
                  "failures.FailedJournalTest",
                  "calls.LoadTest",
                  "failures.DeepStackTest")),
          entry(
              "Instances.java",
              List.of(
                  "calls.CallsBetweenObjectsTest", "turns.OutputGateTest", "calls.CallOrderTest")),
          entry(
              "Instance.java",
              List.of(
                  "calls.CallsBetweenObjectsTest",
                  "lifecycle.ResetTest",
                  "lifecycle.LifecycleTest",
                  "turns.UnconfirmedWriteTest")),
          entry(
              "CallFuture.java", List.of("calls.CallsBetweenObjectsTest", "turns.OutputGateTest")),
          entry("Delivery.java", List.of("outbox.OutboxInterleavingTest")),
          entry("ConsumerLedger.java", List.of("outbox.OutboxInterleavingTest")),
          entry("SentCall.java", List.of("calls.CallOrderTest")),
          entry("Stub.java", List.of("calls.CallsBetweenObjectsTest", "turns.OutputGateTest")),
          entry(
              "Turn.java",
              List.of(
                  "failures.ExhaustionTest",
                  "failures.FailedTurnTest",
                  "turns.OutputGateTest",
                  "turns.UnconfirmedWriteTest",
                  "lifecycle.ResetTest",
                  "lifecycle.LifecycleTest",
                  "calls.QueueWorkerTest")),
          entry(
              "TurnWork.java",
              List.of(
                  "failures.ExhaustionTest",
                  "failures.FailedTurnTest",
                  "turns.OutputGateTest",
                  "turns.UnconfirmedWriteTest",
                  "lifecycle.ResetTest",
                  "lifecycle.LifecycleTest",
                  "calls.QueueWorkerTest")),
          entry(
              "InstanceReset.java",
              List.of(
                  "failures.ExhaustionTest",
                  "failures.FailedTurnTest",
                  "lifecycle.ResetTest",
                  "lifecycle.LifecycleTest")),
          entry("QueueWorker.java", List.of("calls.FairnessTest", "calls.QueueWorkerTest")),
          entry("EngineFailure.java", List.of("failures.ExhaustionTest")),
          entry("EventLog.java", List.of("failures.ExhaustionTest")),
          entry("Headroom.java", List.of("failures.StackOverflowTest")),
          entry(
              "Admission.java",
              List.of(
                  "calls.FairnessTest",
                  "calls.QueueWorkerTest",
                  "turns.DeadlockTest",
                  "failures.ExhaustionTest")),
          entry("QueuedCall.java", List.of("calls.QueueWorkerTest", "failures.ExhaustionTest")),
          entry("Sections.java", List.of("turns.CriticalSectionTest")),
          entry("DeadlockDetector.java", List.of("turns.DeadlockTest")));

  private static final String SURVIVES = "SURVIVES";

  /** More than what all tests take on a busy machine; a test alone that hangs is ended sooner. */
  private static final long LIMIT_SECONDS = 240;

  @TempDir private Path directory;

  @Test
  void everyOriginalIsInTheSourcesOnce() throws IOException {
    for (PlantedFault fault : PlantedFaults.ALL) {
      assertThat(fault.source()).as(fault.what()).isNotEmpty();
    }
    assertThat(PlantedFaults.ALL).hasSizeGreaterThanOrEqualTo(15);
  }

  /** A test that fails here anyway would find every fault that comes to it. */
  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void testsPassWhereNothingIsPlanted() throws Exception {
    PlantedFault first = PlantedFaults.ALL.getFirst();
    PlantedFault none =
        new PlantedFault("nothing", first.file(), first.original(), first.original());

    assertThat(outcomeOf(none, directory.resolve("nothing"))).isEqualTo(SURVIVES);
  }

  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  @Timeout(value = 1, unit = TimeUnit.HOURS)
  void everyPlantedFaultMakesATestFail() throws Exception {
    Predicate<String> wanted = Pattern.compile(System.getProperty("planted", "")).asPredicate();
    List<String> survivors = new ArrayList<>();
    int number = 0;
    for (PlantedFault fault : PlantedFaults.ALL) {
      if (!wanted.test(fault.what())) {
        continue;
      }
      String outcome = outcomeOf(fault, directory.resolve("fault-" + ++number));
      System.out.println("| " + fault.what() + " | " + outcome + " |");
      if (outcome.equals(SURVIVES)) {
        survivors.add(fault.what());
      }
    }
    assertThat(survivors).isEmpty();
  }

  private static String outcomeOf(PlantedFault fault, Path work)
      throws IOException, InterruptedException {
    Path classes = Files.createDirectories(work.resolve("classes"));
    Path source = work.resolve(fault.className());
    TestProcess engineTests =
        TestProcess.of(EngineTests.class, testsFor(fault))
            .options(
                "-Xmx512m",
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "-Dholdfast.tests=short");
    Files.writeString(source, fault.source());
    // That of java.base: javax.tools is in a module which a modular run of the tests has not.
    int compiled =
        ToolProvider.findFirst("javac")
            .orElseThrow()
            .run(
                System.out,
                System.err,
                "-nowarn",
                "-proc:none",
                "-cp",
                engineTests.classPath(),
                "-d",
                classes.toString(),
                source.toString());
    assertThat(compiled).as("javac of: " + fault.what()).isZero();
    Path output = work.resolve("output");
    Process tests = engineTests.first(classes).start();
    try {
      Thread reader = Thread.ofVirtual().start(() -> copy(tests, output));
      boolean ended = tests.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
      tests.destroyForcibly().waitFor();
      reader.join();
      return ended ? verdict(tests.exitValue(), output) : "a test hangs";
    } finally {
      tests.destroyForcibly();
    }
  }

  private static String[] testsFor(PlantedFault fault) {
    Set<String> tests = new LinkedHashSet<>(LIKELY.getOrDefault(fault.className(), List.of()));
    tests.addAll(TESTS);
    return tests.stream().map(name -> "dev.holdfast.runtime." + name).toArray(String[]::new);
  }

  private static void copy(Process process, Path output) {
    try {
      Files.copy(process.getInputStream(), output);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static String verdict(int exitCode, Path output) throws IOException {
    String text = Files.readString(output, StandardCharsets.UTF_8);
    return switch (exitCode) {
      case EngineTests.ALL_PASSED -> SURVIVES;
      case EngineTests.ONE_FAILED ->
          text.lines()
              .filter(line -> line.startsWith("FAILED "))
              .map(PlantedFaultsTest::testName)
              .findFirst()
              .orElseThrow();
      default -> throw new AssertionError("The tests ended with " + exitCode + ":\n" + text);
    };
  }

  /** The class and the method out of a unique id such as {@code [class:a.b.C] [method:m()]}. */
  private static String testName(String line) {
    String type = line.replaceAll(".*\\[class:[^\\]]*\\.([A-Za-z]+)\\].*", "$1");
    String method = line.replaceAll(".*\\[(?:method|property|test-template):(\\w+).*", "$1");
    return "`" + type + "." + method + "`";
  }
}
