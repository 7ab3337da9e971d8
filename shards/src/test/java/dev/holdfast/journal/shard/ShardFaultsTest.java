package dev.holdfast.journal.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.faults.planted.PlantedFault;
import dev.holdfast.faults.planted.PlantedRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Plants each fault of {@link ShardFaults} in a copy of the journal of shards and runs its tests,
 * in a JVM of its own. The score is kept in {@code docs/records/planted-faults.md}.
 *
 * <p>{@code -Dplanted=regex} tries only the faults in whose description the expression is found.
 */
final class ShardFaultsTest {

  /** Quick ones first: a run ends with the first failure. */
  private static final List<String> TESTS =
      List.of(
          "dev.holdfast.journal.shard.ShardPowerLossTest",
          "dev.holdfast.journal.shard.AwaitedProofTest",
          "dev.holdfast.journal.shard.LeaseTest",
          "dev.holdfast.journal.shard.ShardJournalTest",
          "dev.holdfast.journal.shard.ShardJournalContractTest",
          "dev.holdfast.journal.shard.ShardPurgeTest",
          "dev.holdfast.journal.shard.CatchUpTest",
          "dev.holdfast.journal.shard.LeaseSimulationTest",
          "dev.holdfast.journal.shard.ShardSimulationTest");

  @TempDir private Path directory;

  private PlantedRun run() {
    return new PlantedRun(ShardFaultsTest.class, directory, _ -> TESTS);
  }

  @Test
  void everyOriginalIsInTheSourcesOnce() throws IOException {
    for (PlantedFault fault : ShardFaults.ALL) {
      assertThat(fault.source()).as(fault.what()).isNotEmpty();
    }
  }

  /** A test that fails here anyway would find every fault that comes to it. */
  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void testsPassWhereNothingIsPlanted() throws Exception {
    PlantedFault first = ShardFaults.ALL.getFirst();
    PlantedFault none =
        new PlantedFault("nothing", first.file(), first.original(), first.original());

    assertThat(run().outcomeOf(none)).isEqualTo(PlantedRun.SURVIVES);
  }

  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void everyPlantedFaultMakesATestFail() throws Exception {
    assertThat(run().survivorsOf(ShardFaults.ALL)).isEmpty();
  }
}
