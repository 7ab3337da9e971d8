package dev.holdfast.cluster.placement;

import dev.holdfast.spi.log.NodeId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

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
    int[][] copies = new int[shards][];
    for (int shard = 0; shard < shards; shard++) {
      List<Integer> chosen = new ArrayList<>();
      while (chosen.size() < Math.min(replicas, names.size())) {
        chosen.add(
            IntStream.range(0, names.size())
                .boxed()
                .filter(node -> !chosen.contains(node))
                .min(
                    Comparator.<Integer>comparingInt(node -> copyCounts[node])
                        .thenComparing(
                            node -> chosen.stream().mapToInt(c -> shared[c][node]).sum()))
                .orElseThrow());
      }
      for (int node : chosen) {
        copyCounts[node]++;
        chosen.forEach(other -> shared[node][other]++);
      }
      copies[shard] = chosen.stream().mapToInt(node -> node).toArray();
    }
    evenOwners(copies, names.size());
    return Arrays.stream(copies)
        .map(each -> Arrays.stream(each).mapToObj(names::get).toList())
        .toList();
  }

  /** Brings the owner of each shard to the front. */
  private static void evenOwners(int[][] copies, int nodes) {
    int[] ownerCounts = new int[nodes];
    for (int[] each : copies) {
      ownerCounts[each[0]]++;
    }
    for (BalancingPath path = nextOwner(copies, ownerCounts);
        path != null;
        path = nextOwner(copies, ownerCounts)) {
      int[] shard = copies[path.item()];
      ownerCounts[shard[0]]--;
      ownerCounts[path.to()]++;
      bringToFront(shard, path.to());
    }
  }

  private static void bringToFront(int[] shard, int owner) {
    int at = IntStream.range(0, shard.length).filter(n -> shard[n] == owner).sum();
    shard[at] = shard[0];
    shard[0] = owner;
  }

  private static @Nullable BalancingPath nextOwner(int[][] copies, int[] ownerCounts) {
    int[][] via = new int[ownerCounts.length][ownerCounts.length];
    Arrays.stream(via).forEach(hops -> Arrays.fill(hops, BalancingPath.NONE));
    for (int shard = copies.length - 1; shard >= 0; shard--) {
      for (int to = 1; to < copies[shard].length; to++) {
        via[copies[shard][0]][copies[shard][to]] = shard;
      }
    }
    return BalancingPath.shortest(ownerCounts, via);
  }
}
