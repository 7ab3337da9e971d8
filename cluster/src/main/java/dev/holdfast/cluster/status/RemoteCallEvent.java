package dev.holdfast.cluster.status;

import dev.holdfast.ObjectId;
import dev.holdfast.spi.log.NodeId;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import org.jspecify.annotations.Nullable;

/** A call of another node, as its caller sees it. Confined to the thread of the caller. */
@Name("dev.holdfast.RemoteCall")
@Label("Remote Call")
@Description("A call of an object on another node, until its answer has come or it is given up")
@Category({"Holdfast", "Cluster"})
@StackTrace(false)
@Threshold("10 ms")
public final class RemoteCallEvent extends Event {

  private static final RemoteCallEvent SWITCH = new RemoteCallEvent();

  @Label("Namespace")
  @Nullable String namespace;

  @Label("Object Id")
  @Nullable String objectId;

  @Label("Object Name")
  @Description("Absent if the id was not made from a name")
  @Nullable String objectName;

  @Label("Operation")
  @Description("The method that was called")
  @Nullable String operation;

  @Label("Node")
  @Description("The node that was tried last; absent if none was")
  @Nullable String node;

  @Label("Outcome")
  @Description("RETURNED, THREW, NOT_DELIVERED, UNKNOWN or GIVEN_UP")
  @Nullable String outcome;

  @Label("Attempts")
  @Description("How often the call was sent, or was to be sent")
  int attempts;

  private RemoteCallEvent() {}

  /** {@return a call that begins now; null if it is off} */
  public static @Nullable RemoteCallEvent begun() {
    if (!SWITCH.isEnabled()) {
      return null;
    }
    RemoteCallEvent event = new RemoteCallEvent();
    event.begin();
    return event;
  }

  /**
   * Ends the event, and writes it if it took long enough.
   *
   * @param target the namespace
   * @param id the object
   * @param method the text of the method
   * @param last the node that was tried last; null if none was
   * @param how how the call has ended
   * @param tries how often it was tried
   */
  public void end(
      String target,
      ObjectId id,
      String method,
      @Nullable NodeId last,
      NodeCounters.Sent how,
      int tries) {
    end();
    if (shouldCommit()) {
      namespace = target;
      objectId = id.toString();
      objectName = id.name().orElse(null);
      operation = method;
      node = last == null ? null : last.name();
      outcome = how.name();
      attempts = tries;
      commit();
    }
  }
}
