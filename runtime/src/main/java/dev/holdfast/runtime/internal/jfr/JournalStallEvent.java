package dev.holdfast.runtime.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/**
 * A journal that made nothing durable for longer than a turn may take without a warning. Recorded
 * at its end.
 */
@Name("dev.holdfast.JournalStall")
@Label("Journal Stall")
@Description("The journal had records to make durable, and the disk did not complete a sync")
@Category({"Holdfast", "Storage"})
@StackTrace(false)
public final class JournalStallEvent extends Event {

  private static final JournalStallEvent SWITCH = new JournalStallEvent();

  /** How a stall ends. */
  public enum End {
    /** The disk has completed the sync. */
    MOVED,
    /** The journal has failed. */
    FAILED,
    /** The runtime was closed. */
    CLOSED
  }

  @Label("First Position")
  @Description("Position of the first record that was not durable")
  long firstPosition;

  @Label("Last Position")
  @Description("Position of the last record that was not durable when the stall was detected")
  long lastPosition;

  @Label("End")
  @Description("MOVED: a sync completed; FAILED: the journal failed; CLOSED: the runtime closed")
  @Nullable String endedBy;

  /** {@return a stall that may begin now; null if nobody records it} */
  public static @Nullable JournalStallEvent beginIfOn() {
    if (!SWITCH.isEnabled()) {
      return null;
    }
    JournalStallEvent event = new JournalStallEvent();
    event.begin();
    return event;
  }

  /**
   * Ends the event.
   *
   * @param how what ended the stall
   * @param first position that was not durable
   * @param last position that was not durable when the stall was detected
   */
  public void end(End how, long first, long last) {
    end();
    if (shouldCommit()) {
      firstPosition = first;
      lastPosition = last;
      endedBy = how.name();
      commit();
    }
  }
}
