package dev.holdfast.runtime.internal.event;

import dev.holdfast.spi.ObjectKey;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;
import org.jspecify.annotations.Nullable;

/** A turn of an object. */
@Name("dev.holdfast.Turn")
@Label("Turn")
@Description(
    "A turn of an object: its code between two waits. All other calls of the object wait meanwhile")
@Threshold("10 ms")
public final class TurnEvent extends ObjectEvent {

  private static final TurnEvent PROBE = new TurnEvent();

  @Label("Batch Size")
  @Description("What the turn has handed to the journal; 0 if it has written nothing")
  @DataAmount(DataAmount.BYTES)
  long batchBytes;

  private TurnEvent() {}

  /** {@return a new event that begins now; null if it is off} */
  public static @Nullable TurnEvent begun() {
    return begun(PROBE, TurnEvent::new);
  }

  /**
   * Ends the event, and writes it if it took long enough.
   *
   * @param key the object
   * @param bytes the size of its batches
   */
  public void end(ObjectKey key, long bytes) {
    if (isDue()) {
      batchBytes = bytes;
      write(key);
    }
  }
}
