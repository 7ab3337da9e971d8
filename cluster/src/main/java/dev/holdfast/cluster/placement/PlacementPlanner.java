package dev.holdfast.cluster.placement;

import dev.holdfast.cluster.placement.PlacementState.Shard;
import dev.holdfast.cluster.placement.PlacementState.Spread;
import dev.holdfast.cluster.placement.PlacementStep.AddCopy;
import dev.holdfast.cluster.placement.PlacementStep.MoveOwner;
import dev.holdfast.cluster.placement.PlacementStep.RemoveCopy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Says which copy or owner of a shard moves next. In this order: owners leave draining and leaving
 * nodes; missing copies are added; copies of leaving nodes and copies too many are removed; owners
 * are evened; copies are moved apart by zone and rack, and then evened, one at a time in the whole
 * cluster. A difference of one is even.
 *
 * <p>A copy moves in two steps: it is added, and when it has caught up, the copy too many is found
 * in the view again. So nothing is remembered between two steps, and any planner goes on where
 * another one ended. A step that fails is planned again until the view says why it cannot be done.
 */
public final class PlacementPlanner {

  private PlacementPlanner() {}

  /**
   * Returns the next step. Its shard must not have changed since the view was taken: the one that
   * performs the step compares.
   *
   * @param view the cluster
   * @return the step, or nothing if the cluster is even or has to wait
   */
  public static Optional<PlacementStep> next(PlacementView view) {
    return Optional.ofNullable(next(new PlacementState(view)));
  }

  /**
   * Returns all steps until nothing is left to do, if each takes effect and nothing else happens.
   *
   * @param view the cluster
   * @return the steps in their order
   */
  public static List<PlacementStep> plan(PlacementView view) {
    PlacementState state = new PlacementState(view);
    List<PlacementStep> steps = new ArrayList<>();
    for (PlacementStep step = next(state); step != null; step = next(state)) {
      steps.add(step);
      state.perform(step);
    }
    return steps;
  }

  /**
   * Says why what is not even does not move.
   *
   * @param view the cluster
   * @return sentences; none if all is even or moves
   */
  public static List<String> reasons(PlacementView view) {
    return new PlacementReasons(new PlacementState(view)).sentences();
  }

  static @Nullable PlacementStep next(PlacementState state) {
    PlacementStep step = freeNodeOfOwners(state);
    step = step != null ? step : addMissing(state);
    step = step != null ? step : removeLeaving(state);
    step = step != null ? step : removeExtra(state);
    step = step != null ? step : evenOwners(state);
    return step != null || state.obstacleToEvening() != null ? step : evenCopies(state);
  }

  private static @Nullable PlacementStep freeNodeOfOwners(PlacementState state) {
    MoveOwner best = null;
    int bestCount = Integer.MAX_VALUE;
    for (Shard shard : state.shards) {
      int to = state.mustGiveUp(shard) ? successor(state, shard) : PlacementState.NONE;
      if (to != PlacementState.NONE
          && state.obstacle(shard) == null
          && state.ownerCounts[to] < bestCount) {
        bestCount = state.ownerCounts[to];
        best = new MoveOwner(shard.number, state.names.get(to));
      }
    }
    return best;
  }

  private static int successor(PlacementState state, Shard shard) {
    return first(state.successors(shard), Comparator.comparingInt(node -> state.ownerCounts[node]));
  }

  private static int first(IntStream nodes, Comparator<Integer> order) {
    return nodes.boxed().min(order).orElse(PlacementState.NONE);
  }

  private static @Nullable PlacementStep addMissing(PlacementState state) {
    AddCopy best = null;
    int bestCount = state.wanted;
    for (Shard shard : state.shards) {
      int count = state.keptCount(shard);
      if (count < bestCount && state.obstacleToAddition(shard) == null) {
        Spread spread = state.spread(shard, PlacementState.NONE);
        Comparator<Integer> apart = Comparator.comparingInt(node -> -spread.sizeWith(node));
        int node = first(state.newcomers(shard), apart.thenComparingInt(n -> state.copyCounts[n]));
        if (node != PlacementState.NONE) {
          bestCount = count;
          best = new AddCopy(shard.number, state.names.get(node));
        }
      }
    }
    return best;
  }

  private static @Nullable PlacementStep removeLeaving(PlacementState state) {
    for (Shard shard : state.shards) {
      if (state.keptCount(shard) >= state.wanted && state.hasLeaving(shard)) {
        IntStream nodes =
            shard.copies.stream()
                .filter(n -> state.isLeaving(n) && n != shard.owner && state.canRemove(shard, n));
        int node = first(nodes, Comparator.comparing(n -> !shard.behind.get(n)));
        if (node != PlacementState.NONE) {
          return new RemoveCopy(shard.number, state.names.get(node));
        }
      }
    }
    return null;
  }

  private static @Nullable PlacementStep removeExtra(PlacementState state) {
    for (Shard shard : state.shards) {
      if (state.keptCount(shard) > state.wanted) {
        int node = extra(state, shard);
        if (node != PlacementState.NONE && node != shard.owner) {
          return new RemoveCopy(shard.number, state.names.get(node));
        }
        if (node != PlacementState.NONE) {
          return new MoveOwner(shard.number, state.names.get(successor(state, shard)));
        }
      }
    }
    return null;
  }

  /** The copy that the shard lacks least; it is another one than was added last. */
  static int extra(PlacementState state, Shard shard) {
    List<Integer> nodes =
        state
            .kept(shard)
            .filter(node -> state.isReady(node) && state.canRemove(shard, node))
            .filter(node -> node != shard.owner || state.successors(shard).findAny().isPresent())
            .boxed()
            .toList();
    nodes = lowest(nodes, node -> -state.spread(shard, node).size());
    nodes = lowest(nodes, node -> -state.copyCounts[node]);
    if (nodes.size() > 1) {
      // Where a chain of moves has begun, the next hop must be left possible.
      CopyMoves others = CopyMoves.of(state);
      nodes = lowest(nodes, node -> hopsWithout(state, shard, node, others));
    }
    nodes = lowest(nodes, node -> node == shard.owner ? 1 : 0);
    return nodes.isEmpty() ? PlacementState.NONE : nodes.getFirst();
  }

  private static List<Integer> lowest(List<Integer> nodes, ToIntFunction<Integer> rank) {
    int[] ranks = nodes.stream().mapToInt(rank).toArray();
    int lowest = Arrays.stream(ranks).min().orElse(0);
    return IntStream.range(0, ranks.length)
        .filter(n -> ranks[n] == lowest)
        .mapToObj(nodes::get)
        .toList();
  }

  /** How long the shortest chain is that makes copies more even; 0 if there is none. */
  private static int hopsWithout(PlacementState state, Shard shard, int node, CopyMoves others) {
    state.remove(shard, node);
    CopyMoves moves = new CopyMoves(state, others.copyOfVia());
    moves.consider(state.shards.indexOf(shard));
    BalancingPath path = moves.shortestPath();
    state.add(shard, node);
    return path == null ? 0 : path.length();
  }

  private static @Nullable PlacementStep evenOwners(PlacementState state) {
    BalancingPath path = ownerPath(state);
    return path == null
        ? null
        : new MoveOwner(state.shards.get(path.item()).number, state.names.get(path.to()));
  }

  static @Nullable BalancingPath ownerPath(PlacementState state) {
    int[][] via = state.noMoves();
    for (int item = 0; item < state.shards.size(); item++) {
      Shard shard = state.shards.get(item);
      if (state.obstacle(shard) == null && state.isReady(shard.owner)) {
        int move = item;
        int[] hops = via[shard.owner];
        state
            .successors(shard)
            .filter(to -> hops[to] == BalancingPath.NONE)
            .forEach(to -> hops[to] = move);
      }
    }
    return BalancingPath.shortest(state.ownerCounts, via);
  }

  private static @Nullable PlacementStep evenCopies(PlacementState state) {
    CopyMoves moves = CopyMoves.of(state);
    if (moves.apart() != null) {
      return moves.apart();
    }
    BalancingPath path = moves.shortestPath();
    return path == null
        ? null
        : new AddCopy(state.shards.get(path.item()).number, state.names.get(path.to()));
  }
}
