package dev.holdfast;

import java.time.Duration;

/**
 * How a runtime as a whole behaves. Immutable; change with the {@code with} methods.
 *
 * @param turnWarning a turn that runs longer than this is reported once, with its stack, as a
 *     warning of the system logger {@code dev.holdfast}, and so is a journal that makes nothing
 *     durable for so long; more than zero
 * @param closeTimeout how long {@link ObjectRuntime#close} waits for running calls before it
 *     interrupts them; zero or more
 * @param openDatabasesMax how many SQLite connections are kept open at once, each of about 200 KiB
 *     of native memory; objects beyond that stay alive and reopen theirs when they need it; a
 *     transaction that waits, for another object, say, keeps its own without being counted; at
 *     least 1
 * @param valueCacheBytesMax about how much memory the values take that objects of all storage
 *     engines have read lately; 0 for none
 * @param rocksDbMemoryBytesMax about how much memory RocksDB takes, if it is used: a third each for
 *     its block cache, for its write buffers, and for changes that wait for it; at least 3 MiB
 * @param historyBytesMax how large the journal may become by the history it keeps; beyond that the
 *     oldest history goes first, of whatever object, even inside the recovery window. What is
 *     needed after a crash, or for a restore that was asked for, stays in any case. At least 0;
 *     {@link Long#MAX_VALUE} for no cap
 */
public record RuntimeOptions(
    Duration turnWarning,
    Duration closeTimeout,
    int openDatabasesMax,
    long valueCacheBytesMax,
    long rocksDbMemoryBytesMax,
    long historyBytesMax) {

  /**
   * Warning after 5 seconds, close within 30 seconds, at most 1,500 open databases, 32 MiB of
   * cached values, 192 MiB for RocksDB, no cap on the history.
   */
  public static final RuntimeOptions DEFAULT =
      new RuntimeOptions(
          Duration.ofSeconds(5),
          Duration.ofSeconds(30),
          1_500,
          32L << 20,
          192L << 20,
          Long.MAX_VALUE);

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException if a number or a time is out of its range
   */
  public RuntimeOptions {
    if (turnWarning.isZero() || turnWarning.isNegative()) {
      throw new IllegalArgumentException("turnWarning must be more than zero: " + turnWarning);
    }
    if (closeTimeout.isNegative()) {
      throw new IllegalArgumentException("closeTimeout must not be negative: " + closeTimeout);
    }
    if (openDatabasesMax < 1) {
      throw new IllegalArgumentException(
          "openDatabasesMax must be at least 1: " + openDatabasesMax);
    }
    if (valueCacheBytesMax < 0) {
      throw new IllegalArgumentException(
          "valueCacheBytesMax must not be negative: " + valueCacheBytesMax);
    }
    if (rocksDbMemoryBytesMax < 3 << 20) {
      throw new IllegalArgumentException(
          "rocksDbMemoryBytesMax must be at least 3 MiB: " + rocksDbMemoryBytesMax);
    }
    if (historyBytesMax < 0) {
      throw new IllegalArgumentException("historyBytesMax must be at least 0: " + historyBytesMax);
    }
  }

  /**
   * {@return these options with another limit for turns}
   *
   * @param limit the new limit
   */
  public RuntimeOptions withTurnWarning(Duration limit) {
    return new RuntimeOptions(
        limit,
        closeTimeout,
        openDatabasesMax,
        valueCacheBytesMax,
        rocksDbMemoryBytesMax,
        historyBytesMax);
  }

  /**
   * {@return these options with another time for closing}
   *
   * @param timeout the new time
   */
  public RuntimeOptions withCloseTimeout(Duration timeout) {
    return new RuntimeOptions(
        turnWarning,
        timeout,
        openDatabasesMax,
        valueCacheBytesMax,
        rocksDbMemoryBytesMax,
        historyBytesMax);
  }

  /**
   * {@return these options with another bound on open databases}
   *
   * @param max the new bound
   */
  public RuntimeOptions withOpenDatabasesMax(int max) {
    return new RuntimeOptions(
        turnWarning, closeTimeout, max, valueCacheBytesMax, rocksDbMemoryBytesMax, historyBytesMax);
  }

  /**
   * {@return these options with another bound on cached values}
   *
   * @param bytes the new bound; 0 for no cache
   */
  public RuntimeOptions withValueCacheBytesMax(long bytes) {
    return new RuntimeOptions(
        turnWarning, closeTimeout, openDatabasesMax, bytes, rocksDbMemoryBytesMax, historyBytesMax);
  }

  /**
   * {@return these options with another bound on RocksDB's memory}
   *
   * @param bytes the new bound
   */
  public RuntimeOptions withRocksDbMemoryBytesMax(long bytes) {
    return new RuntimeOptions(
        turnWarning, closeTimeout, openDatabasesMax, valueCacheBytesMax, bytes, historyBytesMax);
  }

  /**
   * {@return these options with another cap on the disk space of the history}
   *
   * @param bytes the new cap
   */
  public RuntimeOptions withHistoryBytesMax(long bytes) {
    return new RuntimeOptions(
        turnWarning,
        closeTimeout,
        openDatabasesMax,
        valueCacheBytesMax,
        rocksDbMemoryBytesMax,
        bytes);
  }
}
