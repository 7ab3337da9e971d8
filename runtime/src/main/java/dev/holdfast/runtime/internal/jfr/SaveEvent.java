package dev.holdfast.runtime.internal.jfr;

import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.statistics.StorageEvents;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import org.jspecify.annotations.Nullable;

/** A save: the batches of an object were copied into its file, and the file was synced. */
@Name("dev.holdfast.Save")
@Label("Save")
@Description("The batches of an object were copied into its file, and the file was synced")
@Category({"Holdfast", "Storage"})
final class SaveEvent extends ObjectEvent implements StorageEvents.Save {

  private static final SaveEvent SWITCH = new SaveEvent();

  @Label("Position")
  @Description("The file has the batches of the object up to this position of the journal")
  long position;

  static @Nullable SaveEvent beginIfOn() {
    if (!SWITCH.isEnabled()) {
      return null;
    }
    SaveEvent event = new SaveEvent();
    event.begin();
    return event;
  }

  @Override
  public void end(ObjectKey key, long savedPosition) {
    end();
    if (shouldCommit()) {
      of(key);
      position = savedPosition;
      commit();
    }
  }
}
