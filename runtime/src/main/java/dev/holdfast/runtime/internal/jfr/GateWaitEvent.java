package dev.holdfast.runtime.internal.jfr;

import dev.holdfast.spi.ObjectKey;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;
import org.jspecify.annotations.Nullable;

/** A wait for a turn, or for the disk. */
@Name("dev.holdfast.GateWait")
@Label("Gate Wait")
@Description("A wait at a gate of an object: for its turn, or for the disk")
@Threshold("10 ms")
public final class GateWaitEvent extends ObjectEvent {

  /** A gate of an object. */
  public enum Gate {
    /** Where calls wait for their turn. */
    INPUT,
    /** Where replies wait for the disk. */
    OUTPUT
  }

  private static final GateWaitEvent PROBE = new GateWaitEvent();

  @Label("Gate")
  @Description("INPUT: waits for a turn of the object. OUTPUT: a reply waits until it is durable")
  @Nullable String gate;

  private GateWaitEvent() {}

  /** {@return a new event that begins now; null if it is off} */
  public static @Nullable GateWaitEvent begun() {
    return PROBE.isEnabled() ? begin(GateWaitEvent::new) : null;
  }

  /**
   * Ends the event, and writes it if it took long enough.
   *
   * @param key the object
   * @param which the gate
   */
  public void end(ObjectKey key, Gate which) {
    if (isDue()) {
      gate = which.name();
      write(key);
    }
  }
}
