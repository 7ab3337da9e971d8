package dev.holdfast.cluster.shard;

import dev.holdfast.cluster.status.ShardHealth;
import dev.holdfast.health.HealthReason;
import dev.holdfast.spi.log.NodeId;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What there is to say of a shard on a node, for operators; nothing if the node does not keep it.
 * Thread-safe.
 */
public interface ShardReport {

  /** {@return the last record of the copy; 0 if there is none} */
  default long lastPosition() {
    return 0;
  }

  /**
   * {@return how many entries the copy lacks that is furthest behind; null if that is not known}
   */
  default @Nullable Long lag() {
    return null;
  }

  /** {@return from when on history is given; null if that is not known, or there is none} */
  default @Nullable Instant restorableSince() {
    return null;
  }

  /** {@return why the copy, or the objects on this node, cannot be used; null if they can} */
  default @Nullable String failure() {
    return null;
  }

  /** {@return whether the copy fetches what it lacks} */
  default boolean isCatchingUp() {
    return false;
  }

  /** {@return what is wrong with the shard on this node} */
  ShardHealth health();

  /**
   * Looks whether the log reaches all copies, as far as this node knows; to be called again and
   * again.
   *
   * @param isConnected whether a node is: that others are away is no news of a shard
   * @return what is wrong
   */
  default Optional<HealthReason> unfed(Predicate<NodeId> isConnected) {
    return Optional.empty();
  }

  /** {@return how many entries the copy lacks that is furthest behind; 0 if that is not known} */
  default long lagEntries() {
    return 0;
  }

  /** {@return about how much of the journal the files lack; 0 if this node owns the shard} */
  default long lagBytes() {
    return 0;
  }
}
