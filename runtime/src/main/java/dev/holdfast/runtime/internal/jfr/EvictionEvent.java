package dev.holdfast.runtime.internal.jfr;

import dev.holdfast.spi.ObjectKey;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import org.jspecify.annotations.Nullable;

/** An instance was dropped because it was idle. */
@Name("dev.holdfast.Eviction")
@Label("Eviction")
@Description("An instance was dropped because it was idle")
public final class EvictionEvent extends ObjectEvent {

  private static final EvictionEvent PROBE = new EvictionEvent();

  private EvictionEvent() {}

  /** {@return a new event that begins now; null if it is off} */
  public static @Nullable EvictionEvent begun() {
    return PROBE.isEnabled() ? begin(EvictionEvent::new) : null;
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
