package dev.holdfast.runtime.internal.jfr;

import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.ObjectKey;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/** A run of the handler of an alarm. */
@Name("dev.holdfast.AlarmRun")
@Label("Alarm Run")
@Description("A run of the handler of an alarm, until its outcome is durable")
public final class AlarmRunEvent extends ObjectEvent {

  private static final AlarmRunEvent PROBE = new AlarmRunEvent();

  @Label("Alarm")
  @Description("The name of the alarm; empty for the one alarm without a name")
  @Nullable String alarm;

  @Label("Late By")
  @Description("From the due time until the handler began")
  @Timespan(Timespan.MILLISECONDS)
  long lateBy;

  @Label("Retry Count")
  @Description("How often the alarm was tried before")
  int retryCount;

  @Label("Failed")
  @Description("Whether the handler threw an exception, or its object was reset")
  boolean failed;

  private AlarmRunEvent() {}

  /** {@return a new event that begins now; null if it is off} */
  public static @Nullable AlarmRunEvent begun() {
    return PROBE.isEnabled() ? begin(AlarmRunEvent::new) : null;
  }

  /**
   * Ends the event, and writes it if it took long enough.
   *
   * @param key the object
   * @param fired the alarm
   * @param lateMillis how late it ran, in milliseconds
   * @param hasFailed whether it has failed
   */
  public void end(ObjectKey key, AlarmRecord fired, long lateMillis, boolean hasFailed) {
    if (isDue()) {
      alarm = fired.name();
      lateBy = lateMillis;
      retryCount = fired.retryCount();
      failed = hasFailed;
      write(key);
    }
  }
}
