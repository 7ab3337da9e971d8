package dev.holdfast.cluster.route;

import dev.holdfast.spi.log.NodeId;

/**
 * Which node owns a shard, as far as is known.
 *
 * @param node the owner
 * @param epoch the index of the entry with which it took the shard: of two ownerships, the higher
 *     is the later one. 0 if it is only a guess
 */
public record ShardOwnership(NodeId node, long epoch) {

  /**
   * Checks the epoch.
   *
   * @throws IllegalArgumentException if it is negative
   */
  public ShardOwnership {
    if (epoch < 0) {
      throw new IllegalArgumentException("The epoch is negative: " + epoch);
    }
  }
}
