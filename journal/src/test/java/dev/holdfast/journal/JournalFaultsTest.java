package dev.holdfast.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.faults.planted.PlantedFault;
import dev.holdfast.faults.planted.PlantedRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Plants each fault of {@link JournalFaults} in a copy of the readers of segments and runs the
 * tests of the journal, in a JVM of its own. The score is kept in {@code
 * docs/records/planted-faults.md}.
 *
 * <p>{@code -Dplanted=regex} tries only the faults in whose description the expression is found.
 */
final class JournalFaultsTest {

  /** Quick ones first: a run ends with the first failure. */
  private static final List<String> TESTS =
      List.of(
          "dev.holdfast.journal.GoldenSegmentTest",
          "dev.holdfast.journal.SegmentDamageTest",
          "dev.holdfast.journal.JournalTailTest",
          "dev.holdfast.journal.MissingJournalTest",
          "dev.holdfast.journal.JournalChunkTest",
          "dev.holdfast.journal.HistoryTest",
          "dev.holdfast.journal.PurgeTest",
          "dev.holdfast.journal.JournalPowerLossTest");

  @TempDir private Path directory;

  private PlantedRun run() {
    return new PlantedRun(JournalFaultsTest.class, directory, _ -> TESTS);
  }

  @Test
  void everyOriginalIsInTheSourcesOnce() throws IOException {
    for (PlantedFault fault : JournalFaults.ALL) {
      assertThat(fault.source()).as(fault.what()).isNotEmpty();
    }
  }

  /** A test that fails here anyway would find every fault that comes to it. */
  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void testsPassWhereNothingIsPlanted() throws Exception {
    PlantedFault first = JournalFaults.ALL.getFirst();
    PlantedFault none =
        new PlantedFault("nothing", first.file(), first.original(), first.original());

    assertThat(run().outcomeOf(none)).isEqualTo(PlantedRun.SURVIVES);
  }

  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  @Timeout(value = 1, unit = TimeUnit.HOURS)
  void everyPlantedFaultMakesATestFail() throws Exception {
    assertThat(run().survivorsOf(JournalFaults.ALL)).isEmpty();
  }
}
