package dev.holdfast.cluster.placement;

import dev.holdfast.cluster.placement.PlacementState.Shard;
import dev.holdfast.cluster.placement.PlacementState.Spread;
import dev.holdfast.cluster.placement.PlacementStep.AddCopy;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Which copies can move from one node to another without coming closer to others. */
final class CopyMoves {

  private final PlacementState state;

  /** For each pair of nodes the first shard that can move. */
  private final int[][] via;

  private @Nullable AddCopy apart;
  private int bestGain;
  private int bestDifference;

  CopyMoves(PlacementState state, int[][] via) {
    this.state = state;
    this.via = via;
  }

  static CopyMoves of(PlacementState state) {
    CopyMoves moves = new CopyMoves(state, state.noMoves());
    for (int item = 0; item < state.shards.size(); item++) {
      moves.consider(item);
    }
    return moves;
  }

  void consider(int item) {
    Shard shard = state.shards.get(item);
    if (!state.isMovable(shard)) {
      return;
    }
    int before = state.spread(shard, PlacementState.NONE).size();
    int[] newcomers = state.newcomers(shard).toArray();
    for (int from : shard.copies.stream().filter(state::isReady).toArray()) {
      Spread rest = state.spread(shard, from);
      for (int to : newcomers) {
        int gain = rest.sizeWith(to) - before;
        if (gain >= 0 && via[from][to] == BalancingPath.NONE) {
          via[from][to] = item;
        }
        if (gain > 0) {
          considerGain(gain, shard, from, to);
        }
      }
    }
  }

  private void considerGain(int gain, Shard shard, int from, int to) {
    int difference = state.copyCounts[from] - state.copyCounts[to];
    if (apart == null || gain > bestGain || (gain == bestGain && difference > bestDifference)) {
      bestGain = gain;
      bestDifference = difference;
      apart = new AddCopy(shard.number, state.names.get(to));
    }
  }

  /** {@return what takes the copies of a shard apart by most, or null if all are} */
  @Nullable AddCopy apart() {
    return apart;
  }

  /** {@return the last hop of what makes copies more even, or null if they are} */
  @Nullable BalancingPath shortestPath() {
    return BalancingPath.shortest(state.copyCounts, via);
  }

  int[][] copyOfVia() {
    return Arrays.stream(via).map(int[]::clone).toArray(int[][]::new);
  }
}
