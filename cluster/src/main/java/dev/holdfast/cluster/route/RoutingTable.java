package dev.holdfast.cluster.route;

import dev.holdfast.spi.log.NodeId;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The owners of shards, as hints: a call that comes to the wrong node has not begun, and is
 * answered with a better hint. So nothing depends on the table being right. Thread-safe.
 */
public final class RoutingTable {

  /**
   * What is known of a shard. The epoch outlives the node: a third node that is behind must not
   * lead back to an older owner.
   */
  private record Known(@Nullable NodeId node, long epoch) {}

  private final ShardMap map;
  private final AtomicReferenceArray<Known> owners;

  /** For each shard: completes with the next ownership. */
  private final AtomicReferenceArray<CompletableFuture<Void>> next;

  /**
   * Creates a table that knows no owner.
   *
   * @param map the slots of the shards
   */
  public RoutingTable(ShardMap map) {
    this.map = map;
    this.owners = new AtomicReferenceArray<>(map.shardCount());
    this.next = new AtomicReferenceArray<>(map.shardCount());
    for (int shard = 0; shard < map.shardCount(); shard++) {
      owners.set(shard, new Known(null, 0));
      next.set(shard, new CompletableFuture<>());
    }
  }

  /** {@return the slots of the shards} */
  public ShardMap map() {
    return map;
  }

  /**
   * {@return the owner of a shard, if one is known}
   *
   * @param shard the shard
   */
  public Optional<Ownership> ownerOf(int shard) {
    Known known = owners.get(shard);
    NodeId node = known.node();
    return node == null ? Optional.empty() : Optional.of(new Ownership(node, known.epoch()));
  }

  /**
   * Records an owner, unless a later one was known.
   *
   * @param shard the shard
   * @param owner its owner
   * @return whether another node is the owner now than before
   */
  public boolean learn(int shard, Ownership owner) {
    Known learned = new Known(owner.node(), owner.epoch());
    while (true) {
      Known known = owners.get(shard);
      if (known.epoch() > owner.epoch()) {
        return false;
      }
      if (owners.compareAndSet(shard, known, learned)) {
        if (owner.epoch() > known.epoch()) {
          next.getAndSet(shard, new CompletableFuture<>()).complete(null);
        }
        return !owner.node().equals(known.node());
      }
    }
  }

  /**
   * {@return completes when a later ownership is learned than all that were known when this was
   * called} An owner that was forgotten and is learned again is no later one, so those that wait
   * are woken once for each ownership, however often nodes contradict each other.
   *
   * @param shard the shard
   */
  public CompletableFuture<Void> nextOwnership(int shard) {
    return next.get(shard);
  }

  /**
   * Forgets an owner that does not answer, or says that it is none.
   *
   * @param shard the shard
   * @param node the owner; if another one is known, nothing changes
   */
  public void forget(int shard, NodeId node) {
    Known known = owners.get(shard);
    if (node.equals(known.node())) {
      // Lost only to a change that makes it needless.
      owners.compareAndSet(shard, known, new Known(null, known.epoch()));
    }
  }
}
