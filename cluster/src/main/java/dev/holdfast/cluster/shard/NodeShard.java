package dev.holdfast.cluster.shard;

import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.route.ShardOwnership;
import dev.holdfast.journal.shard.ReplicaSource;
import dev.holdfast.journal.shard.SealedSegments;
import dev.holdfast.spi.log.NodeId;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A shard as a node sees it: one that has a copy on the node, or one that only other nodes keep.
 * Thread-safe.
 */
public sealed interface NodeShard extends AutoCloseable permits KeptShard, AwayShard {

  /** {@return its number} */
  int number();

  /** {@return what there is to say of the shard} */
  ShardReport report();

  /** {@return the ownership, as far as this node knows; empty if it knows none} */
  Optional<ShardOwnership> ownership();

  /** {@return the node that owns the shard, as far as this one knows; null if it knows none} */
  default @Nullable NodeId owner() {
    return ownership().map(ShardOwnership::node).orElse(null);
  }

  /**
   * Takes part in the shard.
   *
   * @return why this node does not, though the others go on; null if it does, will as soon as it
   *     has fetched a copy, or keeps none
   */
  default @Nullable RuntimeException start() {
    return null;
  }

  /** {@return the objects, perhaps still being opened; null if this node does not own the shard} */
  default @Nullable CompletableFuture<OwnedShard> objects() {
    return null;
  }

  /** {@return the objects, also while they are closed; null if this node does not own the shard} */
  default @Nullable CompletableFuture<OwnedShard> objectsOrEnding() {
    return null;
  }

  /** {@return the objects, if they are open; null if they are not, or are being opened} */
  default @Nullable OwnedShard openObjects() {
    return null;
  }

  /**
   * {@return whether this node knows an owner of the shard, and its objects are open if it is this
   * node} Also if no copy works here: this node hears of no owner by itself then.
   */
  default boolean isReady() {
    return true;
  }

  /** {@return the segments that nothing is written to any more; null if there are none yet} */
  default @Nullable SealedSegments sealed() {
    return null;
  }

  /** {@return what this copy gives to those of other nodes; null if it does not work} */
  default @Nullable ReplicaSource source() {
    return null;
  }

  /** All segments were checked: this node may have the shard again. */
  default void checked() {}

  /** {@return whether a planned move is under way, which may still wait for what runs} */
  default boolean isMoveUnderWay() {
    return false;
  }

  /** {@return whether nobody takes calls now because the shard is moved from this node} */
  default boolean isMoving() {
    return false;
  }

  /** {@return whether this node owns the shard, or is about to open its objects} */
  default boolean isOwned() {
    return false;
  }

  /** {@return whether another node owns the shard, as far as this node knows} */
  boolean isOwnedByAnother();

  /**
   * From now on this node passes the shard on when it may lead. It takes it after all if nobody
   * else does: a shard without an owner is worse than a node that is not idle.
   */
  default void drain() {}

  /**
   * Moves the shard to another node, which leads then: new calls wait, and those that run end.
   *
   * @param to the other node; null for the one that lags least
   * @return the node that has taken the shard; a {@link ClusterException} if none has in time
   */
  CompletableFuture<NodeId> moveTo(@Nullable NodeId to);

  /** To be called again and again: objects that take no calls any more are opened elsewhere. */
  default void leaveIfFailed() {}

  /**
   * A member is connected. If it owns the shard, and was forgotten because a call to it was lost,
   * it is known again: otherwise the shard would have no owner here until another one opens it.
   *
   * @param other the member
   */
  default void present(NodeId other) {}

  /**
   * The other nodes do not let this one take part: its copy is not what it was.
   *
   * @param why what they say
   */
  default void expel(ClusterException why) {}

  /** Moves the shard to another node if one can take it, and ends this node's part in its log. */
  @Override
  void close();
}
