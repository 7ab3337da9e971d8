package dev.holdfast.cluster.placement;

import dev.holdfast.cluster.placement.PlacementState.Shard;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
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
    state.shards.stream().sorted(Comparator.comparingInt(s -> s.number)).forEach(this::explain);
    if (PlacementPlanner.next(state) == null) {
      explain("Copies", state.copyCounts, this::obstacleToCopies);
      explain("Owners", state.ownerCounts, this::obstacleToOwners);
    }
    return List.copyOf(sentences);
  }

  private void explain(Shard shard) {
    int count = state.keptCount(shard);
    if (state.mustGiveUp(shard)) {
      String obstacle = state.obstacle(shard);
      boolean isPossible = state.successors(shard).findAny().isPresent();
      add(
          shard,
          "stays owned by node " + state.names.get(shard.owner),
          obstacle != null || isPossible ? obstacle : "no other node has a copy that may own it");
    }
    if (count < state.wanted) {
      String obstacle = state.obstacleToAddition(shard);
      boolean isPossible = state.newcomers(shard).findAny().isPresent();
      add(
          shard,
          "has %d of %d copies".formatted(count, state.wanted),
          obstacle != null || isPossible ? obstacle : "no node is ready to get another one");
    } else if (state.hasLeaving(shard)) {
      add(shard, "is still on a node that leaves", state.obstacleToRemoval(shard));
    } else if (count > state.wanted) {
      add(shard, "has a copy too many", state.obstacleToRemoval(shard));
    }
  }

  private void add(Shard shard, String what, @Nullable String obstacle) {
    if (obstacle != null) {
      sentences.add("Shard %d %s: %s.".formatted(shard.number, what, obstacle));
    }
  }

  private void explain(String what, int[] counts, Function<Integer, String> obstacle) {
    Comparator<Integer> byCount = Comparator.comparingInt(node -> counts[node]);
    int most = state.readyNodes().boxed().max(byCount).orElse(0);
    int fewest = state.readyNodes().boxed().min(byCount).orElse(0);
    if (most != fewest && counts[most] - counts[fewest] >= 2) {
      sentences.add(
          "%s are uneven, node %s has %d and node %s has %d: %s."
              .formatted(
                  what,
                  state.names.get(most),
                  counts[most],
                  state.names.get(fewest),
                  counts[fewest],
                  obstacle.apply(most)));
    }
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

  private Optional<String> obstacleOf(Function<Shard, @Nullable String> obstacleTo) {
    for (Shard shard : state.shards) {
      String obstacle = obstacleTo.apply(shard);
      if (obstacle != null) {
        return Optional.of("of shard " + shard.number + " " + obstacle);
      }
    }
    return Optional.empty();
  }
}
