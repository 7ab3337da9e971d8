package dev.holdfast.cluster.status;

import dev.holdfast.cluster.ShardStatus;
import dev.holdfast.health.HealthReason;
import dev.holdfast.health.HealthState;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a shard makes of the health of its node. Stateless. */
public final class ShardHealth {

  private ShardHealth() {}

  /**
   * Returns why a shard is not as it should be on a node.
   *
   * @param status the shard
   * @param unopened why its objects could not be opened on the node; null if they could
   * @return the worst reason; empty if there is none
   */
  public static Optional<HealthReason> reasonOf(ShardStatus status, @Nullable String unopened) {
    String shard = "shard " + status.shard();
    if (status.owner() == null && (status.failure() == null || unopened != null)) {
      return Optional.of(
          new HealthReason(
              HealthReason.SHARD_WITHOUT_OWNER,
              HealthState.DOWN,
              "S"
                  + shard.substring(1)
                  + " has no owner that this node knows, so its objects cannot be called. Start"
                  + " nodes until a majority runs."
                  + (unopened == null ? "" : " This node cannot open its objects: " + unopened)));
    }
    if (unopened != null) {
      return Optional.of(
          new HealthReason(
              HealthReason.SHARD_NOT_OPENED,
              HealthState.DEGRADED,
              "This node cannot open the objects of "
                  + shard
                  + ", and passes it on to others: "
                  + unopened
                  + " Open this node again once the reason is gone."));
    }
    if (status.failure() != null) {
      return Optional.of(
          new HealthReason(
              HealthReason.SHARD_STOPPED,
              HealthState.DEGRADED,
              "The copy of "
                  + shard
                  + " on this node has stopped: "
                  + status.failure()
                  + " The other nodes go on; open this node again once the reason is gone."));
    }
    return status.isCatchingUp()
        ? Optional.of(
            new HealthReason(
                HealthReason.SHARD_CATCHING_UP,
                HealthState.DEGRADED,
                "The copy of "
                    + shard
                    + " on this node is catching up: it fetches from another node what its log does"
                    + " not have. Do not stop other nodes before it has ended."))
        : Optional.empty();
  }
}
