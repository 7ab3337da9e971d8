package dev.holdfast.statistics;

/**
 * The numbers of RocksDB, which holds all objects of its namespaces in one database. Immutable.
 *
 * @param memtableBytes the memory of writes that RocksDB has not flushed to its files, in bytes
 * @param pendingBatches how many batches are not yet in RocksDB; it gets them when they are durable
 * @param pendingBytes about how much memory these batches take, in bytes; turns wait when it is too
 *     much
 * @param tableBytes the size of the current table files, in bytes
 * @param blockCacheBytes the memory of the block cache, in bytes, with indexes and filters
 * @param blockCacheHits how many blocks were found in the block cache
 * @param blockCacheMisses how many blocks were read from files
 * @param flushedBytes how many bytes were flushed from memory to files
 * @param compactedBytes how many bytes compactions wrote
 * @param stallNanos how long RocksDB held writes back because flushes or compactions were behind,
 *     in nanoseconds
 * @param redoneBatches how many batches were redone from the journal when the runtime was opened
 */
public record RocksDbStatistics(
    long memtableBytes,
    int pendingBatches,
    long pendingBytes,
    long tableBytes,
    long blockCacheBytes,
    long blockCacheHits,
    long blockCacheMisses,
    long flushedBytes,
    long compactedBytes,
    long stallNanos,
    long redoneBatches)
    implements BackendStatistics {

  /** The numbers of a runtime without RocksDB. */
  public static final RocksDbStatistics NONE =
      new RocksDbStatistics(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  /**
   * Returns what happened after an earlier snapshot: counters are subtracted, all else comes from
   * this snapshot.
   *
   * @param earlier the earlier snapshot
   * @return the numbers of the time between the two
   */
  public RocksDbStatistics minus(RocksDbStatistics earlier) {
    return new RocksDbStatistics(
        memtableBytes,
        pendingBatches,
        pendingBytes,
        tableBytes,
        blockCacheBytes,
        blockCacheHits - earlier.blockCacheHits,
        blockCacheMisses - earlier.blockCacheMisses,
        flushedBytes - earlier.flushedBytes,
        compactedBytes - earlier.compactedBytes,
        stallNanos - earlier.stallNanos,
        redoneBatches - earlier.redoneBatches);
  }
}
