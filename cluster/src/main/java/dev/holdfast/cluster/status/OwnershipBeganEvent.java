package dev.holdfast.cluster.status;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/** A shard that this node has taken. */
@Name("dev.holdfast.OwnershipBegan")
@Label("Ownership Began")
@Description("This node of a cluster has taken a shard: its objects are open")
@Category({"Holdfast", "Cluster"})
@StackTrace(false)
final class OwnershipBeganEvent extends Event {

  private static final OwnershipBeganEvent SWITCH = new OwnershipBeganEvent();

  @Label("Shard")
  int shard;

  @Label("Epoch")
  @Description("The number of the ownership")
  long epoch;

  @Label("Takeover")
  @Description("From the moment at which the log let this node take the shard")
  @Timespan(Timespan.MILLISECONDS)
  long takeover;

  @Label("Claim")
  @Description("The part of it until the log had the ownership")
  @Timespan(Timespan.MILLISECONDS)
  long claim;

  @Label("Opening")
  @Description("The part of it in which the objects were opened: their files got what they lacked")
  @Timespan(Timespan.MILLISECONDS)
  long opening;

  private OwnershipBeganEvent() {}

  /** {@return a new event; null if it is off} */
  static @Nullable OwnershipBeganEvent ifOn() {
    return SWITCH.isEnabled() ? new OwnershipBeganEvent() : null;
  }

  void write(
      int number, long ownership, long takeoverMillis, long claimMillis, long openingMillis) {
    shard = number;
    epoch = ownership;
    takeover = takeoverMillis;
    claim = claimMillis;
    opening = openingMillis;
    commit();
  }
}
