package dev.holdfast.runtime.internal.jfr;

import dev.holdfast.spi.ObjectKey;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import org.jspecify.annotations.Nullable;

/** A restore of an object to an earlier state; one that fails is not recorded. */
@Name("dev.holdfast.Restore")
@Label("Restore")
@Description("An object was restored to an earlier state")
@Category({"Holdfast", "Objects"})
public final class RestoreEvent extends ObjectEvent {

  private static final RestoreEvent SWITCH = new RestoreEvent();

  @Label("Position")
  @Description("Position of the restore in the journal")
  long position;

  /** {@return a restore that begins now; null if nobody records it} */
  public static @Nullable RestoreEvent beginIfOn() {
    if (!SWITCH.isEnabled()) {
      return null;
    }
    RestoreEvent event = new RestoreEvent();
    event.begin();
    return event;
  }

  /**
   * Ends the event: the restore is in the journal.
   *
   * @param key the object
   * @param restorePosition of the restore
   */
  public void end(ObjectKey key, long restorePosition) {
    end();
    if (shouldCommit()) {
      of(key);
      position = restorePosition;
      commit();
    }
  }
}
