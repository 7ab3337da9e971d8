package dev.holdfast.backend.rocksdb;

import dev.holdfast.backend.rocksdb.database.DatabaseFiles;
import java.time.Duration;

/**
 * Memory bounds and write settings of the RocksDB backend of one runtime. Immutable; start from
 * {@link #DEFAULT}.
 *
 * <p>Native memory is about {@code blockCacheBytes + writeBufferBytes}, plus a few MiB that RocksDB
 * needs itself. Java memory is at most about {@code pendingBytesMax}, plus the writes of turns in
 * progress.
 *
 * @param blockCacheBytes blocks of files kept in memory, with their indexes and filters, at least 1
 *     MiB
 * @param writeBufferBytes changes that RocksDB keeps in memory before it writes a file, at least 1
 *     MiB. More means fewer, larger files, and more records to read after a crash
 * @param pendingBytesMax back-pressure: how much sealed data may wait in memory for the journal and
 *     for RocksDB before the end of a turn waits too, at least 64 KiB
 * @param applyDelay how long durable changes may wait for others before they are given to RocksDB
 *     together; zero or more
 * @param filesOpenMax maximum number of RocksDB's files open at once, at least 16
 * @param backgroundThreadsMax number of threads with which RocksDB flushes and compacts, at least 1
 */
public record RocksDbOptions(
    long blockCacheBytes,
    long writeBufferBytes,
    long pendingBytesMax,
    Duration applyDelay,
    int filesOpenMax,
    int backgroundThreadsMax) {

  /** 64 MiB of cache, 64 MiB of write buffers, 64 MiB pending, 20 ms, 512 files, 2 threads. */
  public static final RocksDbOptions DEFAULT =
      new RocksDbOptions(64L << 20, 64L << 20, 64L << 20, Duration.ofMillis(20), 512, 2);

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException if a number is out of its range
   */
  public RocksDbOptions {
    requireAtLeast("blockCacheBytes", blockCacheBytes, 1 << 20);
    requireAtLeast("writeBufferBytes", writeBufferBytes, 1 << 20);
    requireAtLeast("pendingBytesMax", pendingBytesMax, 64 << 10);
    requireAtLeast("filesOpenMax", filesOpenMax, 16);
    requireAtLeast("backgroundThreadsMax", backgroundThreadsMax, 1);
    if (applyDelay.isNegative()) {
      throw new IllegalArgumentException("applyDelay must not be negative: " + applyDelay);
    }
  }

  /**
   * {@return these options with a total amount of memory} The block cache, the write buffers and
   * pending changes get a third each.
   *
   * @param bytes the memory, at least 3 MiB
   * @throws IllegalArgumentException if it is less than 3 MiB
   */
  public RocksDbOptions withMemoryBytesMax(long bytes) {
    return withBlockCacheBytes(bytes / 3)
        .withWriteBufferBytes(bytes / 3)
        .withPendingBytesMax(bytes / 3);
  }

  /**
   * {@return these options with another size of the block cache}
   *
   * @param bytes the new size
   * @throws IllegalArgumentException if it is less than 1 MiB
   */
  public RocksDbOptions withBlockCacheBytes(long bytes) {
    return new RocksDbOptions(
        bytes, writeBufferBytes, pendingBytesMax, applyDelay, filesOpenMax, backgroundThreadsMax);
  }

  /**
   * {@return these options with another size of the write buffers}
   *
   * @param bytes the new size
   * @throws IllegalArgumentException if it is less than 1 MiB
   */
  public RocksDbOptions withWriteBufferBytes(long bytes) {
    return new RocksDbOptions(
        blockCacheBytes, bytes, pendingBytesMax, applyDelay, filesOpenMax, backgroundThreadsMax);
  }

  /**
   * {@return these options with another bound on pending changes}
   *
   * @param bytes the new bound
   * @throws IllegalArgumentException if it is less than 64 KiB
   */
  public RocksDbOptions withPendingBytesMax(long bytes) {
    return new RocksDbOptions(
        blockCacheBytes, writeBufferBytes, bytes, applyDelay, filesOpenMax, backgroundThreadsMax);
  }

  /**
   * {@return these options with another delay}
   *
   * @param delay the new delay
   * @throws IllegalArgumentException if it is negative
   */
  public RocksDbOptions withApplyDelay(Duration delay) {
    return new RocksDbOptions(
        blockCacheBytes,
        writeBufferBytes,
        pendingBytesMax,
        delay,
        filesOpenMax,
        backgroundThreadsMax);
  }

  /**
   * Below the size at which RocksDB flushes by itself: the backend is notified only of its flushes.
   */
  long flushBytes() {
    return writeBufferBytes / 4;
  }

  DatabaseFiles.Bounds bounds() {
    return new DatabaseFiles.Bounds(
        blockCacheBytes, writeBufferBytes, filesOpenMax, backgroundThreadsMax);
  }

  private static void requireAtLeast(String name, long value, long min) {
    if (value < min) {
      throw new IllegalArgumentException(name + " must be at least " + min + ": " + value);
    }
  }
}
