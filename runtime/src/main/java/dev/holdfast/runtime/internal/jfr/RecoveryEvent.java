package dev.holdfast.runtime.internal.jfr;

import dev.holdfast.spi.statistics.StorageEvents;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** The opening of a data directory, until its files agree with the journal. One for a runtime. */
@Name("dev.holdfast.Recovery")
@Label("Recovery")
@Description("A data directory was opened, and its files were brought to the end of the journal")
@Category({"Holdfast", "Storage"})
@StackTrace(false)
final class RecoveryEvent extends Event implements StorageEvents.Recovery {

  private static final RecoveryEvent SWITCH = new RecoveryEvent();

  @Label("Directory")
  @Nullable String directory;

  @Label("Records")
  @Description("Records of the journal that recovery read")
  long records;

  static @Nullable RecoveryEvent beginIfOn() {
    if (!SWITCH.isEnabled()) {
      return null;
    }
    RecoveryEvent event = new RecoveryEvent();
    event.begin();
    return event;
  }

  @Override
  public void end(String dataDirectory, long recordsRead) {
    end();
    if (shouldCommit()) {
      directory = dataDirectory;
      records = recordsRead;
      commit();
    }
  }
}
