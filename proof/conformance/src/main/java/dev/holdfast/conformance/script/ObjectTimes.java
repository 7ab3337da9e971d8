package dev.holdfast.conformance.script;

import dev.holdfast.conformance.value.Shown;
import dev.holdfast.conformance.value.Times;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The times an object was given, so that they can be told as offsets again. Owned by its object.
 */
final class ObjectTimes implements Times {

  /** How far from the present a time may be that is only known to be the present. */
  private static final long PRESENT_MILLIS = 5_000;

  private final Map<Long, Shown> told = new HashMap<>();
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
    told.put(time, Shown.soon(millis));
    return time;
  }

  /** Tells a time from what it was set from; what is no time stays as it is. */
  @Nullable Object tell(@Nullable Object time, boolean asPresent) {
    if (!(time instanceof Long millis)) {
      return time;
    }
    if (asPresent) {
      boolean present = Math.abs(millis - System.currentTimeMillis()) < PRESENT_MILLIS;
      return present ? Shown.present() : Shown.now(millis - startMillis);
    }
    return told.getOrDefault(millis, Shown.now(millis - startMillis));
  }
}
