package dev.holdfast.cluster.placement;

import java.util.List;

/**
 * A cluster as a planner sees it. A copy on a node that is not listed counts as one on an absent
 * node.
 *
 * @param replicas how many copies each shard should have
 * @param nodes the nodes, in any order
 * @param shards the shards, in any order
 */
public record PlacementView(int replicas, List<NodeView> nodes, List<ShardView> shards) {

  /**
   * Copies the lists.
   *
   * @throws IllegalArgumentException if a shard should have no copy
   */
  public PlacementView {
    if (replicas < 1) {
      throw new IllegalArgumentException("A shard has at least 1 copy, not " + replicas);
    }
    nodes = List.copyOf(nodes);
    shards = List.copyOf(shards);
  }
}
