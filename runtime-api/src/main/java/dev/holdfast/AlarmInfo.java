package dev.holdfast;

import java.time.Instant;

/**
 * What an alarm handler is told.
 *
 * @param name the name it was scheduled under with {@link dev.holdfast.storage.ObjectSchedules};
 *     empty for the alarm of {@code setAlarm}
 * @param scheduledTime the time it was set to, to the millisecond; not that of a retry
 * @param retryCount how many tries have failed and count against {@link AlarmPolicy#retriesMax}
 */
public record AlarmInfo(String name, Instant scheduledTime, int retryCount) {

  /** {@return whether a try has failed before} */
  public boolean isRetry() {
    return retryCount > 0;
  }
}
