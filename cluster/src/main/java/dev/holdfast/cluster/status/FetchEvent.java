package dev.holdfast.cluster.status;

import dev.holdfast.spi.log.NodeId;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/**
 * A part of a copy that this node lacks, or that is damaged, read from another one; one that fails
 * is not recorded.
 */
@Name("dev.holdfast.Fetch")
@Label("Fetch")
@Description("A part of a segment, or of a file of objects, was read from the copy of another node")
@Category({"Holdfast", "Cluster"})
@StackTrace(false)
public final class FetchEvent extends Event {

  private static final FetchEvent SWITCH = new FetchEvent();

  @Label("Shard")
  int shard;

  @Label("Node")
  @Description("The node that gave it; absent if the shard had a new owner just then")
  @Nullable String node;

  @Label("Size")
  @DataAmount
  long bytes;

  private FetchEvent() {}

  /** {@return a read that begins now; null if it is off} */
  public static @Nullable FetchEvent begun() {
    if (!SWITCH.isEnabled()) {
      return null;
    }
    FetchEvent event = new FetchEvent();
    event.begin();
    return event;
  }

  /**
   * Ends the event.
   *
   * @param number of the shard
   * @param from the node that gave it; null if that is not known
   * @param size how many bytes came
   */
  public void end(int number, @Nullable NodeId from, long size) {
    end();
    if (shouldCommit()) {
      shard = number;
      node = from == null ? null : from.name();
      bytes = size;
      commit();
    }
  }
}
