package dev.holdfast.runtime.internal.instance;

import dev.holdfast.runtime.internal.Delays;
import dev.holdfast.runtime.internal.turn.EngineParts;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.spi.StorageBackend;
import java.time.Duration;

/** Reports saves that are late, once until they have caught up. Confined to the sweeper's walk. */
final class SaveWatch {

  private final EngineParts parts;
  private final Duration limit;
  private boolean reported;

  SaveWatch(EngineParts parts, Duration limit) {
    this.parts = parts;
    this.limit = limit;
  }

  void look() {
    boolean isLate = lateNanos() > Delays.nanosOf(limit);
    if (isLate && !reported) {
      parts.report(
          LogEvent.SAVE_LATE,
          "The save of an object's file was requested more than "
              + limit
              + " ago; the journal keeps what is not saved, and grows. Check the disk.",
          null);
    }
    reported = isLate;
  }

  /** {@return how long the oldest requested save has waited or run; any thread may ask} */
  long lateNanos() {
    long latest = 0;
    for (StorageBackend each : parts.backends().values()) {
      latest = Math.max(latest, each.saveLagNanos());
    }
    return latest;
  }
}
