package dev.holdfast.cluster.shard;

import dev.holdfast.cluster.status.ShardHealth;
import dev.holdfast.health.HealthReason;
import dev.holdfast.health.HealthState;
import dev.holdfast.journal.shard.ShardReplica;
import dev.holdfast.log.ratis.RatisLog;
import dev.holdfast.spi.log.NodeId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What there is to say of a shard that this node keeps. Thread-safe. */
final class KeptReport implements ShardReport {

  private final KeptShard shard;
  private final NodeParts parts;
  private final RatisLog log;
  private final ShardCopy copy;

  KeptReport(KeptShard shard, NodeParts parts, RatisLog log, ShardCopy copy) {
    this.shard = shard;
    this.parts = parts;
    this.log = log;
    this.copy = copy;
  }

  @Override
  public long lastPosition() {
    return copy.lastPosition();
  }

  @Override
  public @Nullable Long lag() {
    return log.lag().stream().boxed().findFirst().orElse(null);
  }

  @Override
  public @Nullable Instant restorableSince() {
    return copy.restorableSince();
  }

  @Override
  public @Nullable String failure() {
    RuntimeException failure = copy.failure();
    return failure == null ? shard.unopened() : failure.getMessage();
  }

  @Override
  public boolean isCatchingUp() {
    return copy.isCatchingUp();
  }

  @Override
  public ShardHealth health() {
    RuntimeException failure = copy.failure();
    ShardReplica replica = copy.replica();
    return new ShardHealth(
        shard.number(),
        shard.ownership().isPresent(),
        failure == null ? null : failure.getMessage(),
        shard.unopened(),
        copy.isCatchingUp(),
        replica == null ? null : replica.purges().waitsFor());
  }

  @Override
  public Optional<HealthReason> unfed(Predicate<NodeId> isConnected) {
    if (!copy.isFed()) {
      return Optional.empty();
    }
    List<String> unfed =
        log.unfed().stream().filter(isConnected).map(NodeId::name).sorted().toList();
    boolean isUnfed =
        log.hearsNoLeader()
            && shouldHearALeader(
                parts.self(), shard.owner(), log.configuration().members().keySet(), isConnected);
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

  /**
   * {@return whether a node that hears no leader is the one to say so} A follower is, if the owner
   * is there; the owner, which has lost the lead, if another copy is: else a majority is missing.
   */
  static boolean shouldHearALeader(
      NodeId self, @Nullable NodeId owner, Set<NodeId> copies, Predicate<NodeId> isConnected) {
    return self.equals(owner)
        ? copies.stream().anyMatch(each -> !each.equals(self) && isConnected.test(each))
        : owner != null && isConnected.test(owner);
  }

  @Override
  public long lagEntries() {
    return log.lag().orElse(0);
  }

  @Override
  public long lagBytes() {
    return shard.isOwned() ? 0 : copy.behindBytes();
  }
}
