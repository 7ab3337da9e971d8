package dev.holdfast.runtime.internal.jfr;

import dev.holdfast.spi.ObjectKey;
import java.util.function.Supplier;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** What happened to one object. Confined to one thread at a time. */
@Category({"Holdfast", "Objects"})
@StackTrace(false)
abstract class ObjectEvent extends Event {

  @Label("Namespace")
  @Nullable String namespace;

  @Label("Object Id")
  @Nullable String objectId;

  @Label("Object Name")
  @Description("Absent if the id was not made from a name")
  @Nullable String objectName;

  /**
   * Begins an event of a kind that is on. Apart from the question whether it is: that is asked on
   * the way of each call, and must be inlined there.
   *
   * @param maker makes one
   * @return null if memory has run out
   */
  static <E extends ObjectEvent> @Nullable E begin(Supplier<E> maker) {
    try {
      E made = maker.get();
      made.begin();
      return made;
    } catch (OutOfMemoryError e) {
      return null;
    }
  }

  /** {@return whether the event has ended as one that is to be written} */
  final boolean isDue() {
    end();
    return shouldCommit();
  }

  /** Writes the event. The caller has set all fields except the object's. */
  final void write(ObjectKey key) {
    try {
      of(key);
      commit();
    } catch (OutOfMemoryError e) {
      // The recording has one event less.
      namespace = null;
    }
  }

  final void of(ObjectKey key) {
    namespace = key.namespace();
    objectId = key.id().toString();
    objectName = key.id().name().orElse(null);
  }
}
