package dev.holdfast.cluster.placement;

import dev.holdfast.spi.log.NodeId;

/** One change of where a shard is. */
public sealed interface PlacementStep {

  /** {@return the number of the shard} */
  int shard();

  /**
   * A node gets a copy.
   *
   * @param shard the number of the shard
   * @param node the node
   */
  record AddCopy(int shard, NodeId node) implements PlacementStep {}

  /**
   * A node gives its copy up.
   *
   * @param shard the number of the shard
   * @param node the node, which does not own the shard
   */
  record RemoveCopy(int shard, NodeId node) implements PlacementStep {}

  /**
   * Another node with a copy owns the shard.
   *
   * @param shard the number of the shard
   * @param to the next owner
   */
  record MoveOwner(int shard, NodeId to) implements PlacementStep {}
}
