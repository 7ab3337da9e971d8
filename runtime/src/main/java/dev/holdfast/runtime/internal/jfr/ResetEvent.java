package dev.holdfast.runtime.internal.jfr;

import dev.holdfast.spi.ObjectKey;
import dev.holdfast.statistics.ResetReason;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import org.jspecify.annotations.Nullable;

/** An instance was reset. */
@Name("dev.holdfast.Reset")
@Label("Reset")
@Description(
    "An instance was discarded because it could not be trusted; all its calls in flight failed")
public final class ResetEvent extends ObjectEvent {

  private static final ResetEvent PROBE = new ResetEvent();

  @Label("Reason")
  @Nullable String reason;

  @Label("Cause")
  @Description("The class of the exception behind it, if there was one")
  @Nullable Class<?> cause;

  private ResetEvent() {}

  /** {@return a new event that begins now; null if it is off} */
  public static @Nullable ResetEvent begun() {
    return PROBE.isEnabled() ? begin(ResetEvent::new) : null;
  }

  /**
   * Ends the event, and writes it if it took long enough.
   *
   * @param key the object
   * @param why the reason
   * @param thrown what went wrong, or null
   */
  public void end(ObjectKey key, ResetReason why, @Nullable Throwable thrown) {
    if (isDue()) {
      reason = why.name();
      cause = thrown == null ? null : thrown.getClass();
      write(key);
    }
  }
}
