package dev.holdfast.cluster.shard;

import dev.holdfast.cluster.status.ShardHealth;
import dev.holdfast.health.HealthReason;
import dev.holdfast.health.HealthState;
import dev.holdfast.log.ratis.RatisLog;
import dev.holdfast.spi.log.NodeId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What there is to say of a shard on this node, for operators. Thread-safe. */
public final class ShardReport {

  private final NodeShard shard;
  private final NodeParts parts;
  private final RatisLog log;
  private final ShardCopy copy;

  ShardReport(NodeShard shard, NodeParts parts, RatisLog log, ShardCopy copy) {
    this.shard = shard;
    this.parts = parts;
    this.log = log;
    this.copy = copy;
  }

  /** {@return the last record of the copy; 0 if there is none} */
  public long lastPosition() {
    return copy.lastPosition();
  }

  /**
   * {@return how many entries the copy lacks that is furthest behind; null if that is not known}
   */
  public @Nullable Long lag() {
    return log.lag().stream().boxed().findFirst().orElse(null);
  }

  /** {@return from when on history is given; null if that is not known, or there is none} */
  public @Nullable Instant restorableSince() {
    return copy.restorableSince();
  }

  /** {@return why the copy, or the objects on this node, cannot be used; null if they can} */
  public @Nullable String failure() {
    RuntimeException failure = copy.failure();
    return failure == null ? shard.unopened() : failure.getMessage();
  }

  /** {@return whether the copy fetches what it lacks} */
  public boolean isCatchingUp() {
    return copy.isCatchingUp();
  }

  /** {@return what is wrong with the shard} */
  public ShardHealth health() {
    RuntimeException failure = copy.failure();
    return new ShardHealth(
        shard.number(),
        shard.ownership().isPresent(),
        failure == null ? null : failure.getMessage(),
        shard.unopened(),
        copy.isCatchingUp());
  }

  /**
   * Looks whether the log reaches all copies, as far as this node knows; to be called again and
   * again.
   *
   * @param isConnected whether a node is: that others are away is no news of a shard
   * @return what is wrong
   */
  public Optional<HealthReason> unfed(Predicate<NodeId> isConnected) {
    if (!copy.isFed()) {
      return Optional.empty();
    }
    List<String> unfed =
        log.unfed().stream().filter(isConnected).map(NodeId::name).sorted().toList();
    NodeId owner = shard.owner();
    boolean isUnfed =
        owner != null
            && !owner.equals(parts.self())
            && isConnected.test(owner)
            && log.hearsNoLeader();
    if (unfed.isEmpty() && !isUnfed) {
      return Optional.empty();
    }
    return Optional.of(
        new HealthReason(
            HealthReason.SHARD_NOT_FED,
            HealthState.DEGRADED,
            "The log of shard "
                + shard.number()
                + " does not reach the copy of "
                + (isUnfed ? "this node" : "node " + String.join(", ", unfed))
                + ". Let the nodes reach the ports of each other's logs, one above the ports of"
                + " calls, and do not stop another node before this has ended."));
  }

  /** {@return how many entries the copy lacks that is furthest behind; 0 if that is not known} */
  public long lagEntries() {
    return log.lag().orElse(0);
  }

  /** {@return about how much of the journal the files lack; 0 if this node owns the shard} */
  public long lagBytes() {
    return shard.isOwned() ? 0 : copy.behindBytes();
  }
}
