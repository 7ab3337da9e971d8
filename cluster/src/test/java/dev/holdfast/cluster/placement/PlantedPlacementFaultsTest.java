package dev.holdfast.cluster.placement;

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

/** Plants faults in the planner: a test must find each. */
final class PlantedPlacementFaultsTest {

  private static final List<PlantedFault> ALL =
      List.of(
          in(
              "PlacementPlanner",
              "a copy on a leaving node is removed before it is replaced",
              "if (state.keptCount(shard) >= state.wanted && state.hasLeaving(shard)) {",
              "if (state.hasLeaving(shard)) {"),
          in(
              "PlacementPlanner",
              "the owner's copy is removed",
              "if (node != PlacementState.NONE && node != shard.owner) {",
              "if (node != PlacementState.NONE) {"),
          in(
              "PlacementPlanner",
              "a hop of a chain is undone",
              "if (nodes.size() > 1) {",
              "if (nodes.size() > 99) {"),
          in(
              "PlacementPlanner",
              "copies move while another one moves",
              "step != null || state.obstacleToEvening() != null ? step",
              "step != null ? step"),
          in(
              "PlacementState",
              "a copy that is behind does not hold up a removal",
              "return shard.behind.get(node) && !isLeaving(node) && uses[node] != NodeUse.ABSENT;",
              "return shard == null;"),
          in(
              "PlacementState",
              "a copy on an absent node does not hold up a removal",
              "first(shard, node -> uses[node] == NodeUse.ABSENT);",
              "first(shard, node -> shard == null);"),
          in(
              "PlacementState",
              "a shard that changes is moved",
              "if (shard.isChanging) {",
              "if (shard == null) {"),
          in(
              "PlacementState",
              "a copy that is behind becomes the owner",
              "isReady(node) && isCurrent(shard, node)",
              "isReady(node)"),
          in(
              "PlacementState",
              "a shard without a majority is changed",
              "* 2 <= shard.copies.cardinality()",
              "* 2 < shard.copies.cardinality() - 9"),
          in(
              "PlacementState",
              "racks count as zones",
              "places(nodes, \"zone\")",
              "places(nodes, \"zone\", \"rack\")"),
          in("CopyMoves", "labels are ignored", "if (gain >= 0 &&", "if ("),
          in(
              "BalancingPath",
              "a chain that gives nothing is done",
              "if (difference >= 2 &&",
              "if (difference >= 1 &&"),
          in(
              "BalancingPath",
              "only single moves are found",
              "best == null ? counts.length : best.length",
              "1"),
          in("FirstPlacement", "pairs of nodes are not spread", "c -> shared[c][node]", "c -> 0"));

  @TempDir private Path directory;

  private static PlantedFault in(String type, String what, String original, String replacement) {
    return new PlantedFault(
        what,
        Path.of("src/main/java/dev/holdfast/cluster/placement/" + type + ".java"),
        original,
        replacement);
  }

  @Test
  void everyOriginalIsInTheSourcesOnce() throws IOException {
    for (PlantedFault fault : ALL) {
      assertThat(fault.source()).as(fault.what()).isNotEmpty();
    }
  }

  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  @Timeout(value = 20, unit = TimeUnit.MINUTES)
  void everyPlantedFaultMakesATestFail() throws Exception {
    PlantedRun run =
        new PlantedRun(
            PlantedPlacementFaultsTest.class,
            directory,
            _ ->
                List.of(
                    "dev.holdfast.cluster.placement.PlacementPlannerTest",
                    "dev.holdfast.cluster.placement.FirstPlacementTest",
                    "dev.holdfast.cluster.placement.PlacementSimulationTest"));

    assertThat(run.survivorsOf(ALL)).isEmpty();
  }
}
