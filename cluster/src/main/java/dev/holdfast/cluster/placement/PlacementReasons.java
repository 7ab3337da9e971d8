package dev.holdfast.cluster.placement;

import dev.holdfast.cluster.placement.PlacementState.Shard;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Says why what is not even does not move. */
final class PlacementReasons {

  private final PlacementState state;
  private final Set<String> sentences = new LinkedHashSet<>();

  PlacementReasons(PlacementState state) {
    this.state = state;
  }

  List<String> sentences() {
    state.shards.stream().sorted(Comparator.comparing(s -> s.number)).forEach(this::explain);
    if (PlacementPlanner.next(state) == null) {
      explain("Copies", state.copyCounts, this::obstacleToCopies);
      explain("Owners", state.ownerCounts, this::obstacleToOwners);
    }
    return List.copyOf(sentences);
  }

  private void explain(Shard shard) {
    int count = state.keptCount(shard);
    if (state.mustGiveUp(shard)) {
      explain(
          shard,
          "stays owned by node " + state.names.get(shard.owner),
          state.obstacle(shard),
          state.successors(shard).findAny().isPresent(),
          "no other node that may own it has a copy that has caught up");
    }
    if (count < state.wanted) {
      explain(
          shard,
          "has " + count + " of " + state.wanted + " copies",
          state.obstacleToAddition(shard),
          state.newcomers(shard).findAny().isPresent(),
          "no node is ready to get another one");
    } else if (state.hasLeaving(shard) || count > state.wanted) {
      explain(
          shard,
          state.hasLeaving(shard) ? "is still on a node that leaves" : "has a copy too many",
          state.obstacleToRemoval(shard),
          state.hasLeaving(shard)
              ? shard.copies.stream().anyMatch(n -> state.isLeaving(n) && state.canRemove(shard, n))
              : state.kept(shard).anyMatch(n -> state.isReady(n) && state.canRemove(shard, n)),
          "without the copy a majority would be missing");
    }
  }

  private void explain(
      Shard shard, String what, @Nullable String obstacle, boolean isPossible, String otherwise) {
    if (obstacle != null || !isPossible) {
      sentences.add(
          "Shard "
              + shard.number
              + " "
              + what
              + ": "
              + (obstacle != null ? obstacle : otherwise)
              + ".");
    }
  }

  private void explain(String what, int[] counts, Function<Integer, String> obstacle) {
    Comparator<Integer> byCount = Comparator.comparing(node -> counts[node]);
    List<Integer> nodes = state.readyNodes().boxed().sorted(byCount).toList();
    if (nodes.isEmpty() || counts[nodes.getLast()] - counts[nodes.getFirst()] < 2) {
      return;
    }
    int most = nodes.getLast();
    int fewest = nodes.getFirst();
    sentences.add(
        what
            + " are uneven, node "
            + state.names.get(most)
            + " has "
            + counts[most]
            + " and node "
            + state.names.get(fewest)
            + " has "
            + counts[fewest]
            + ": "
            + obstacle.apply(most)
            + ".");
  }

  private String obstacleToCopies(int node) {
    String evening = state.obstacleToEvening();
    return evening != null
        ? evening
        : obstacleOf(shard -> shard.copies.get(node) ? state.obstacleToRemoval(shard) : null)
            .orElse("zones and racks allow no other place");
  }

  private String obstacleToOwners(int node) {
    return obstacleOf(shard -> shard.owner == node ? state.obstacle(shard) : null)
        .orElse("no node with fewer has a copy that could take over");
  }

  private Optional<String> obstacleOf(Function<Shard, @Nullable String> obstacle) {
    return state.shards.stream()
        .filter(shard -> obstacle.apply(shard) != null)
        .map(
            shard ->
                "of shard " + shard.number + " " + Objects.requireNonNull(obstacle.apply(shard)))
        .findFirst();
  }
}
