package dev.holdfast.runtime.internal.jfr;

import dev.holdfast.spi.ObjectKey;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;
import org.jspecify.annotations.Nullable;

/** A call of an object. */
@Name("dev.holdfast.Call")
@Label("Call")
@Description(
    "A call of an object, from its arrival until its last turn has ended. The wait of the reply for"
        + " the disk is a Gate Wait")
@Threshold("10 ms")
public final class CallEvent extends ObjectEvent {

  private static final CallEvent PROBE = new CallEvent();

  @Label("Operation")
  @Description("The method that was called")
  @Nullable String operation;

  @Label("Outcome")
  @Description(
      "RETURNED, THREW, RESET, OVERLOADED, or WITHDRAWN: its caller gave up before its code began")
  String outcome = RecordedOutcome.WITHDRAWN.name();

  @Label("From Object")
  @Description("Whether another object made the call")
  boolean fromObject;

  private CallEvent() {}

  /** {@return a new event that begins now; null if it is off} */
  public static @Nullable CallEvent begun() {
    return PROBE.isEnabled() ? begin(CallEvent::new) : null;
  }

  /**
   * Sets how the call has ended; without it, its code has not begun.
   *
   * @param how how it has ended
   */
  public void setOutcome(RecordedOutcome how) {
    outcome = how.name();
  }

  /**
   * Ends the event, and writes it if it took long enough.
   *
   * @param key the object
   * @param called the operation
   * @param isFromObject whether another object made it
   */
  public void end(ObjectKey key, String called, boolean isFromObject) {
    if (isDue()) {
      operation = called;
      fromObject = isFromObject;
      write(key);
    }
  }
}
