package dev.holdfast.runtime.internal.jfr;

import dev.holdfast.spi.statistics.StorageEvents;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import org.jspecify.annotations.Nullable;

/** A group of records that the journal has written and synced. */
@Name("dev.holdfast.CommitGroup")
@Label("Commit Group")
@Description("The journal wrote a group of records and synced its file")
@Category({"Holdfast", "Storage"})
// One group is written at a time, so this also bounds a recording: to 10,000 events of 20 bytes a
// second.
@Threshold("100 us")
@StackTrace(false)
final class CommitGroupEvent extends Event implements StorageEvents.CommitGroup {

  private static final CommitGroupEvent SWITCH = new CommitGroupEvent();

  @Label("First Position")
  @Description("Position of the first record in the journal")
  long firstPosition;

  @Label("Records")
  int records;

  @Label("Size")
  @DataAmount
  long bytes;

  static @Nullable CommitGroupEvent beginIfOn() {
    if (!SWITCH.isEnabled()) {
      return null;
    }
    CommitGroupEvent event = new CommitGroupEvent();
    event.begin();
    return event;
  }

  @Override
  public void end(long first, int count, long size) {
    end();
    if (shouldCommit()) {
      firstPosition = first;
      records = count;
      bytes = size;
      commit();
    }
  }
}
