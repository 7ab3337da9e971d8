package dev.holdfast;

import java.time.Duration;

/**
 * How the objects of one namespace are run. Immutable; change with the {@code with} methods.
 *
 * @param storage which engine keeps the data
 * @param idleTimeout how long an object stays in memory without work before it is evicted; more
 *     than zero
 * @param queueLengthMax how many events may wait for one object before calls are refused with
 *     {@link ObjectOverloadedException}; at least 1
 * @param criticalSectionTimeout how long a critical section may take before the object is reset;
 *     more than zero
 */
public record NamespaceOptions(
    StorageKind storage,
    Duration idleTimeout,
    int queueLengthMax,
    Duration criticalSectionTimeout) {

  /**
   * SQLite storage, eviction after 10 seconds, at most 100,000 waiting events, critical sections of
   * at most 30 seconds. The two times are those of the reference runtime.
   */
  public static final NamespaceOptions DEFAULT =
      new NamespaceOptions(
          StorageKind.SQLITE, Duration.ofSeconds(10), 100_000, Duration.ofSeconds(30));

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException if a number or a time is out of its range
   */
  public NamespaceOptions {
    requirePositive("idleTimeout", idleTimeout);
    requirePositive("criticalSectionTimeout", criticalSectionTimeout);
    if (queueLengthMax < 1) {
      throw new IllegalArgumentException("queueLengthMax must be at least 1: " + queueLengthMax);
    }
  }

  /**
   * {@return these options with another storage engine}
   *
   * @param kind the storage engine
   */
  public NamespaceOptions withStorage(StorageKind kind) {
    return new NamespaceOptions(kind, idleTimeout, queueLengthMax, criticalSectionTimeout);
  }

  /**
   * {@return these options with another idle time}
   *
   * @param timeout the new time
   */
  public NamespaceOptions withIdleTimeout(Duration timeout) {
    return new NamespaceOptions(storage, timeout, queueLengthMax, criticalSectionTimeout);
  }

  /**
   * {@return these options with another bound on waiting events}
   *
   * @param max the new bound
   */
  public NamespaceOptions withQueueLengthMax(int max) {
    return new NamespaceOptions(storage, idleTimeout, max, criticalSectionTimeout);
  }

  /**
   * {@return these options with another bound on critical sections}
   *
   * @param timeout the new time
   */
  public NamespaceOptions withCriticalSectionTimeout(Duration timeout) {
    return new NamespaceOptions(storage, idleTimeout, queueLengthMax, timeout);
  }

  private static void requirePositive(String name, Duration value) {
    if (value.isZero() || value.isNegative()) {
      throw new IllegalArgumentException(name + " must be more than zero: " + value);
    }
  }
}
