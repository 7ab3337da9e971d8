package dev.holdfast.cluster.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.log.NodeId;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

final class FirstPlacementTest {

  @Property(tries = 100)
  void copiesAndOwnersAreEvenAndNothingMovesAfterwards(
      @ForAll @IntRange(min = 1, max = 40) int nodes,
      @ForAll @IntRange(min = 1, max = 128) int shards,
      @ForAll @IntRange(min = 1, max = 5) int replicas) {
    SimulatedPlacement cluster = SimulatedPlacement.of(nodes, shards, replicas);

    assertThat(cluster.shards).hasSize(shards);
    assertThat(cluster.shards.values())
        .allMatch(shard -> shard.copies.size() == Math.min(nodes, replicas));
    SimulatedPlacement.requireEven(cluster.copyCounts(_ -> true));
    SimulatedPlacement.requireEven(cluster.ownerCounts(_ -> true));
    assertThat(PlacementPlanner.plan(cluster.view())).isEmpty();
  }

  @Example
  void everyPairOfNodesSharesAboutEquallyManyShards() {
    int[][] shared = shared(12, 64, 3);

    // 64 shards with 3 pairs each are 2.9 for each of the 66 pairs.
    assertThat(IntStream.range(0, 12).flatMap(n -> Arrays.stream(shared[n], n + 1, 12)))
        .allMatch(count -> count >= 2 && count <= 5);
    assertThat(IntStream.range(0, 12)).allMatch(n -> Arrays.stream(shared[n]).sum() == 32);
  }

  @Example
  void noTwoOfTwoHundredNodesShareTwoShards() {
    assertThat(Arrays.stream(shared(200, 128, 3)).flatMapToInt(Arrays::stream))
        .allMatch(count -> count <= 1);
  }

  @Example
  void orderOfNodesDoesNotMatter() {
    List<NodeId> nodes = IntStream.range(0, 9).mapToObj(SimulatedPlacement::id).toList();

    assertThat(FirstPlacement.of(nodes.reversed(), 20, 3))
        .isEqualTo(FirstPlacement.of(nodes, 20, 3));
  }

  private static int[][] shared(int nodes, int shards, int replicas) {
    int[][] shared = new int[nodes][nodes];
    List<NodeId> names = IntStream.range(0, nodes).mapToObj(SimulatedPlacement::id).toList();
    for (List<NodeId> copies : FirstPlacement.of(names, shards, replicas)) {
      for (NodeId one : copies) {
        for (NodeId other : copies) {
          shared[names.indexOf(one)][names.indexOf(other)] += one.equals(other) ? 0 : 1;
        }
      }
    }
    return shared;
  }
}
