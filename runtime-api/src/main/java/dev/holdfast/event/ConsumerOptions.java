package dev.holdfast.event;

import java.time.Duration;

/**
 * How a consumer receives events. Immutable.
 *
 * @param start where it begins if the data directory does not know it; else it continues
 * @param batchEventsMax the maximum number of events of one delivery; at least 1
 * @param retryMin the pause after the first failure of a delivery; each further failure doubles it;
 *     more than zero
 * @param retryMax the longest pause; at least {@code retryMin}
 */
public record ConsumerOptions(
    ConsumerStart start, int batchEventsMax, Duration retryMin, Duration retryMax) {

  /** From the oldest event on, at most 100 at once, pauses of 100 milliseconds to one minute. */
  public static final ConsumerOptions DEFAULT =
      new ConsumerOptions(ConsumerStart.OLDEST, 100, Duration.ofMillis(100), Duration.ofMinutes(1));

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException if a number or a time is out of its range
   */
  public ConsumerOptions {
    if (batchEventsMax < 1) {
      throw new IllegalArgumentException("batchEventsMax must be at least 1: " + batchEventsMax);
    }
    if (retryMin.isZero() || retryMin.isNegative()) {
      throw new IllegalArgumentException("retryMin must be more than zero: " + retryMin);
    }
    if (retryMax.compareTo(retryMin) < 0) {
      throw new IllegalArgumentException("retryMax is less than retryMin: " + retryMax);
    }
  }

  /**
   * {@return these options with another start}
   *
   * @param place where a new consumer begins
   */
  public ConsumerOptions withStart(ConsumerStart place) {
    return new ConsumerOptions(place, batchEventsMax, retryMin, retryMax);
  }

  /**
   * {@return these options with another size of deliveries}
   *
   * @param events the maximum number of events
   * @throws IllegalArgumentException if it is less than 1
   */
  public ConsumerOptions withBatchEventsMax(int events) {
    return new ConsumerOptions(start, events, retryMin, retryMax);
  }

  /**
   * {@return these options with other pauses after failures}
   *
   * @param min after the first failure
   * @param max the longest
   * @throws IllegalArgumentException if they are out of range
   */
  public ConsumerOptions withRetry(Duration min, Duration max) {
    return new ConsumerOptions(start, batchEventsMax, min, max);
  }
}
