package dev.holdfast.runtime.internal.jfr;

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
    return PROBE.isEnabled() ? begin(TurnEvent::new) : null;
  }

  /**
   * Adds a batch of the turn.
   *
   * @param bytes its size
   */
  public void addBatch(long bytes) {
    batchBytes += bytes;
  }

  /**
   * Ends the event, and writes it if it took long enough.
   *
   * @param key the object
   */
  public void end(ObjectKey key) {
    if (isDue()) {
      write(key);
    }
  }
}
