package dev.holdfast.conformance.script;

import dev.holdfast.conformance.value.Shown;
import dev.holdfast.conformance.value.Times;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The times that an object received, so that they can be converted back to offsets. Owned by its
 * object.
 */
final class ObjectTimes implements Times {

  /** The maximum distance from the present of a time that is recorded only as the present. */
  private static final long PRESENT_MILLIS = 5_000;

  private final Map<Long, Shown> shown = new HashMap<>();
  private long startMillis;

  void startAt(long epochMillis) {
    startMillis = epochMillis;
  }

  @Override
  public Object now(long millis) {
    return startMillis + millis;
  }

  @Override
  public Object nowDate(long millis) {
    return Instant.ofEpochMilli(startMillis + millis);
  }

  @Override
  public Object soon(long millis) {
    long time = System.currentTimeMillis() + millis;
    shown.put(time, Shown.soon(millis));
    return time;
  }

  /** Converts a time to an offset from its origin; any other value is unchanged. */
  @Nullable Object show(@Nullable Object time, boolean asPresent) {
    if (!(time instanceof Long millis)) {
      return time;
    }
    if (asPresent) {
      boolean present = Math.abs(millis - System.currentTimeMillis()) < PRESENT_MILLIS;
      return present ? Shown.present() : Shown.now(millis - startMillis);
    }
    return shown.getOrDefault(millis, Shown.now(millis - startMillis));
  }
}
