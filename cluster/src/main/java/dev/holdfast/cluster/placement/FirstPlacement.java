package dev.holdfast.cluster.placement;

import dev.holdfast.spi.log.NodeId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** Where the shards of a new cluster are. Every node finds the same by itself. */
public final class FirstPlacement {

  private FirstPlacement() {}

  /**
   * Returns the copies of each shard. Copies and owners are even, and each pair of nodes shares
   * about equally many shards, so that all nodes take over from one that is lost.
   *
   * @param nodes the nodes, in any order
   * @param shards how many shards there are
   * @param replicas how many copies each has, or one on each node if there are fewer nodes
   * @return for each shard the nodes with a copy; the first one is its first owner
   */
  public static List<List<NodeId>> of(Collection<NodeId> nodes, int shards, int replicas) {
    List<NodeId> names = nodes.stream().sorted(Comparator.comparing(NodeId::name)).toList();
    int[] copyCounts = new int[names.size()];
    int[][] shared = new int[names.size()][names.size()];
    List<List<NodeId>> copies = new ArrayList<>();
    for (int shard = 0; shard < shards; shard++) {
      List<Integer> chosen = new ArrayList<>();
      while (chosen.size() < Math.min(replicas, names.size())) {
        chosen.add(
            IntStream.range(0, names.size())
                .boxed()
                .filter(node -> !chosen.contains(node))
                .min(
                    Comparator.<Integer>comparingInt(node -> copyCounts[node])
                        .thenComparingInt(
                            node -> chosen.stream().mapToInt(c -> shared[c][node]).sum()))
                .orElseThrow());
      }
      for (int node : chosen) {
        copyCounts[node]++;
        chosen.forEach(other -> shared[node][other]++);
      }
      copies.add(new ArrayList<>(chosen.stream().map(names::get).toList()));
    }
    evenOwners(names, copies, replicas);
    return copies;
  }

  /** Brings the owner of each shard to the front. */
  private static void evenOwners(List<NodeId> names, List<List<NodeId>> copies, int replicas) {
    PlacementView view =
        new PlacementView(
            replicas,
            names.stream().map(name -> new NodeView(name, Map.of(), NodeUse.READY)).toList(),
            IntStream.range(0, copies.size())
                .mapToObj(n -> ownedByFirst(n, copies.get(n)))
                .toList());
    for (PlacementStep step : PlacementPlanner.plan(view)) {
      if (step instanceof PlacementStep.MoveOwner(int shard, NodeId to)) {
        copies.get(shard).remove(to);
        copies.get(shard).addFirst(to);
      }
    }
  }

  private static ShardView ownedByFirst(int shard, List<NodeId> copies) {
    return new ShardView(
        shard, copies, copies.getFirst(), /* isChanging= */ false, Set.of(), /* bytes= */ 0);
  }
}
