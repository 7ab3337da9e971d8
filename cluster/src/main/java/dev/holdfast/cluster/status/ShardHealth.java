package dev.holdfast.cluster.status;

import dev.holdfast.health.HealthReason;
import dev.holdfast.health.HealthState;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a shard makes of the health of a node.
 *
 * @param number of the shard
 * @param hasOwner whether the node knows an owner
 * @param failure why the copy of the node has stopped; null while it works
 * @param unopened why its objects could not be opened on the node; null if they could
 * @param isCatchingUp whether the copy fetches from another one what it lacks
 * @param purge why a purge waits for this node; null if none does
 */
public record ShardHealth(
    int number,
    boolean hasOwner,
    @Nullable String failure,
    @Nullable String unopened,
    boolean isCatchingUp,
    @Nullable String purge) {

  /** {@return whether the node knows no owner, though its copy works} */
  public boolean lacksOwner() {
    return !hasOwner && (failure == null || unopened != null);
  }

  /**
   * Says why the shard is not as it should be.
   *
   * @param isOverdue whether it {@linkplain #lacksOwner lacks an owner} for too long
   * @return the worst reason; empty if all is well
   */
  public Optional<HealthReason> reason(boolean isOverdue) {
    String shard = "shard " + number;
    if (isOverdue) {
      return Optional.of(
          new HealthReason(
              HealthReason.SHARD_WITHOUT_OWNER,
              HealthState.DOWN,
              "Shard "
                  + number
                  + " has no owner that this node knows, so its objects cannot be called. Start"
                  + " nodes until a majority runs, and let them reach the ports of each other's"
                  + " logs, one above the ports of calls."
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
    if (failure != null) {
      return Optional.of(
          new HealthReason(
              HealthReason.SHARD_STOPPED,
              HealthState.DEGRADED,
              "The copy of "
                  + shard
                  + " on this node has stopped: "
                  + failure
                  + " The other nodes go on; open this node again once the reason is gone."));
    }
    if (isCatchingUp) {
      return Optional.of(
          new HealthReason(
              HealthReason.SHARD_CATCHING_UP,
              HealthState.DEGRADED,
              "The copy of "
                  + shard
                  + " on this node is catching up: it fetches from another node what its log does"
                  + " not have. Do not stop other nodes before it has ended."));
    }
    return Optional.ofNullable(purge)
        .map(why -> new HealthReason(HealthReason.PURGE_WAITS, HealthState.DEGRADED, why));
  }
}
