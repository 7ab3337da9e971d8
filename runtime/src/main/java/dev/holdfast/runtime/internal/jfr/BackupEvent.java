package dev.holdfast.runtime.internal.jfr;

import dev.holdfast.recovery.Backup;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** A backup of the data directory; one that fails is not recorded. */
@Name("dev.holdfast.Backup")
@Label("Backup")
@Description("The data directory was copied while it was in use")
@Category({"Holdfast", "Storage"})
@StackTrace(false)
public final class BackupEvent extends Event {

  private static final BackupEvent SWITCH = new BackupEvent();

  @Label("Directory")
  @Description("Directory of the backup")
  @Nullable String directory;

  @Label("Position")
  @Description("Position of the journal up to which the backup goes")
  long position;

  @Label("Files")
  long files;

  @Label("Copied")
  @Description("Size of the files that were copied")
  @DataAmount
  long bytesCopied;

  @Label("Kept")
  @Description("Size of the files that the earlier backup had")
  @DataAmount
  long bytesKept;

  /** {@return a backup that begins now; null if nobody records it} */
  public static @Nullable BackupEvent beginIfOn() {
    if (!SWITCH.isEnabled()) {
      return null;
    }
    BackupEvent event = new BackupEvent();
    event.begin();
    return event;
  }

  /**
   * Ends the event.
   *
   * @param backup what was made
   */
  public void end(Backup backup) {
    end();
    if (shouldCommit()) {
      directory = backup.directory().toString();
      position = backup.position();
      files = backup.files();
      bytesCopied = backup.bytesCopied();
      bytesKept = backup.bytesKept();
      commit();
    }
  }
}
