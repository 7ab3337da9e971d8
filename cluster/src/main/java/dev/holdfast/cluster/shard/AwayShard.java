package dev.holdfast.cluster.shard;

import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.route.RoutingTable;
import dev.holdfast.cluster.route.ShardOwnership;
import dev.holdfast.cluster.status.ShardHealth;
import dev.holdfast.spi.log.NodeId;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A shard of which this node has no copy: its calls go to the nodes that have.
 *
 * @param number its number
 * @param self this node
 * @param table the owner of each shard, as far as this node knows
 */
public record AwayShard(int number, NodeId self, RoutingTable table) implements NodeShard {

  @Override
  public ShardReport report() {
    // Its calls find the owner, or say why they do not.
    return () ->
        new ShardHealth(number, /* hasOwner= */ true, null, null, /* isCatchingUp= */ false, null);
  }

  @Override
  public Optional<ShardOwnership> ownership() {
    return table.ownerOf(number);
  }

  @Override
  public boolean isOwnedByAnother() {
    return owner() != null;
  }

  @Override
  public CompletableFuture<NodeId> moveTo(@Nullable NodeId to) {
    return CompletableFuture.failedFuture(
        new ClusterException(
            ClusterException.Reason.NOT_MOVED,
            "Shard " + number + " was not moved: node " + self + " does not own it.",
            null));
  }

  @Override
  public void close() {
    // Nothing is open.
  }
}
