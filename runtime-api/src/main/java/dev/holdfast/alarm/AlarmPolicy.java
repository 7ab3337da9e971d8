package dev.holdfast.alarm;

import java.time.Duration;

/**
 * What the runtime does when an alarm handler of a namespace fails. Immutable; change with the
 * {@code with} methods.
 *
 * <p>The n-th retry starts {@code retryDelay * 2^(n-1)} after the failure, at most {@code
 * retryDelayMax}, plus a random part of at most {@code jitter} times that delay. Failures that the
 * handler did not cause (the disk, the end of the runtime, a full queue) are retried with the same
 * delays and do not count.
 *
 * @param retryDelay the delay between the first failure and the first retry; at least a millisecond
 * @param retryDelayMax the longest delay; not less than {@code retryDelay}
 * @param jitter the largest random part of a delay: 0 to 1
 * @param retriesMax the number of counted retries before the alarm is given up; 0 or more
 * @param timeLimit the longest time of one run; at least a millisecond. After it the object is
 *     reset and the thread of the run is interrupted. Code that ignores the interrupt delays the
 *     alarms of the object, but not its calls: two handlers of one object never run at once
 */
public record AlarmPolicy(
    Duration retryDelay,
    Duration retryDelayMax,
    double jitter,
    int retriesMax,
    Duration timeLimit) {

  /**
   * Retries after 2, 4, 8, 16, 32 and 64 seconds, each up to a quarter longer, at most 1,024
   * seconds; then gives the alarm up. A run takes at most 15 minutes. The reference runtime has the
   * same figures.
   */
  public static final AlarmPolicy DEFAULT =
      new AlarmPolicy(
          Duration.ofSeconds(2), Duration.ofSeconds(1_024), 0.25, 6, Duration.ofMinutes(15));

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException if a number or a time is out of its range
   */
  public AlarmPolicy {
    Duration milli = Duration.ofMillis(1);
    if (retryDelay.compareTo(milli) < 0 || timeLimit.compareTo(milli) < 0) {
      throw new IllegalArgumentException(
          "retryDelay and timeLimit must be at least a millisecond: "
              + retryDelay
              + ", "
              + timeLimit);
    }
    if (retryDelayMax.compareTo(retryDelay) < 0) {
      throw new IllegalArgumentException(
          "retryDelayMax must not be less than retryDelay: " + retryDelayMax);
    }
    if (!(jitter >= 0 && jitter <= 1)) {
      throw new IllegalArgumentException("jitter must be 0 to 1: " + jitter);
    }
    if (retriesMax < 0) {
      throw new IllegalArgumentException("retriesMax must not be negative: " + retriesMax);
    }
  }

  /**
   * {@return this policy with another first delay; raises the longest delay to it if necessary}
   *
   * @param delay the new delay
   * @throws IllegalArgumentException if the delay is less than a millisecond
   */
  public AlarmPolicy withRetryDelay(Duration delay) {
    Duration max = retryDelayMax.compareTo(delay) < 0 ? delay : retryDelayMax;
    return new AlarmPolicy(delay, max, jitter, retriesMax, timeLimit);
  }

  /**
   * {@return this policy with another longest delay}
   *
   * @param max the new longest delay
   * @throws IllegalArgumentException if it is less than the first delay
   */
  public AlarmPolicy withRetryDelayMax(Duration max) {
    return new AlarmPolicy(retryDelay, max, jitter, retriesMax, timeLimit);
  }

  /**
   * {@return this policy with another random part}
   *
   * @param part 0 for none, 1 for up to twice the delay
   * @throws IllegalArgumentException if it is not within 0 and 1
   */
  public AlarmPolicy withJitter(double part) {
    return new AlarmPolicy(retryDelay, retryDelayMax, part, retriesMax, timeLimit);
  }

  /**
   * {@return this policy with another number of retries}
   *
   * @param max the new number
   * @throws IllegalArgumentException if it is negative
   */
  public AlarmPolicy withRetriesMax(int max) {
    return new AlarmPolicy(retryDelay, retryDelayMax, jitter, max, timeLimit);
  }

  /**
   * {@return this policy with another limit for one run}
   *
   * @param limit the new limit
   * @throws IllegalArgumentException if it is less than a millisecond
   */
  public AlarmPolicy withTimeLimit(Duration limit) {
    return new AlarmPolicy(retryDelay, retryDelayMax, jitter, retriesMax, limit);
  }
}
