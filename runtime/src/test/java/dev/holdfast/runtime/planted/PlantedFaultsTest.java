package dev.holdfast.runtime.planted;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.faults.planted.PlantedFault;
import dev.holdfast.faults.planted.PlantedRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Plants each fault in a copy of the engine and runs the engine's tests on it, in a JVM of its own:
 * one must fail, or the run must hang. The score is kept in {@code docs/records/planted-faults.md}.
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
              "TurnAdmission.java",
              List.of(
                  "calls.FairnessTest",
                  "calls.QueueWorkerTest",
                  "turns.DeadlockTest",
                  "failures.ExhaustionTest")),
          entry("QueuedCall.java", List.of("calls.QueueWorkerTest", "failures.ExhaustionTest")),
          entry("Sections.java", List.of("turns.CriticalSectionTest")),
          entry("DeadlockDetector.java", List.of("turns.DeadlockTest")));

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

    assertThat(run().outcomeOf(none)).isEqualTo(PlantedRun.SURVIVES);
  }

  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  @Timeout(value = 1, unit = TimeUnit.HOURS)
  void everyPlantedFaultMakesATestFail() throws Exception {
    assertThat(run().survivorsOf(PlantedFaults.ALL)).isEmpty();
  }

  private PlantedRun run() {
    return new PlantedRun(PlantedFaultsTest.class, directory, PlantedFaultsTest::testsFor);
  }

  private static List<String> testsFor(PlantedFault fault) {
    Set<String> tests = new LinkedHashSet<>(LIKELY.getOrDefault(fault.fileName(), List.of()));
    tests.addAll(TESTS);
    return tests.stream().map(name -> "dev.holdfast.runtime." + name).toList();
  }
}
