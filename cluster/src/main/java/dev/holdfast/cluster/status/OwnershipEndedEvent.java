package dev.holdfast.cluster.status;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** A shard that this node has no more. */
@Name("dev.holdfast.OwnershipEnded")
@Label("Ownership Ended")
@Description("This node of a cluster gives a shard up, or has lost it")
@Category({"Holdfast", "Cluster"})
@StackTrace(false)
final class OwnershipEndedEvent extends Event {

  private static final OwnershipEndedEvent SWITCH = new OwnershipEndedEvent();

  @Label("Shard")
  int shard;

  @Label("Epoch")
  @Description("The number of the ownership")
  long epoch;

  @Label("Planned")
  @Description("Whether the shard was moved, or the node is closed")
  boolean planned;

  @Label("Reason")
  @Description("What has ended the ownership; absent if that was planned")
  @Nullable String reason;

  private OwnershipEndedEvent() {}

  /** {@return a new event; null if it is off} */
  static @Nullable OwnershipEndedEvent ifOn() {
    return SWITCH.isEnabled() ? new OwnershipEndedEvent() : null;
  }

  void write(int number, long ownership, @Nullable RuntimeException failure) {
    shard = number;
    epoch = ownership;
    planned = failure == null;
    if (failure != null) {
      Throwable cause = failure.getCause();
      reason = (cause == null ? failure : cause).getMessage();
    }
    commit();
  }
}
