package dev.holdfast.alarm;

import java.time.Instant;

/**
 * The alarm that a handler runs for. Immutable.
 *
 * @param name the name of the alarm in {@link dev.holdfast.storage.ObjectSchedules}; empty for the
 *     alarm of {@code setAlarm}
 * @param scheduledTime the time that was set, to the millisecond; the same for every retry
 * @param retryCount the number of failed tries that count against {@link AlarmPolicy#retriesMax}
 */
public record AlarmInfo(String name, Instant scheduledTime, int retryCount) {

  /** {@return whether a try has failed before} */
  public boolean isRetry() {
    return retryCount > 0;
  }
}
