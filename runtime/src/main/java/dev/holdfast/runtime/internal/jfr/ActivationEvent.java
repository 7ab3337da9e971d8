package dev.holdfast.runtime.internal.jfr;

import dev.holdfast.spi.ObjectKey;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import org.jspecify.annotations.Nullable;

/** The creation of an instance. */
@Name("dev.holdfast.Activation")
@Label("Activation")
@Description("The creation of an instance: its migrations and its factory")
public final class ActivationEvent extends ObjectEvent {

  private static final ActivationEvent PROBE = new ActivationEvent();

  private ActivationEvent() {}

  /** {@return a new event that begins now; null if it is off} */
  public static @Nullable ActivationEvent begun() {
    return PROBE.isEnabled() ? begin(ActivationEvent::new) : null;
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
