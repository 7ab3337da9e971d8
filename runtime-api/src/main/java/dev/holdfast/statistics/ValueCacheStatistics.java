package dev.holdfast.statistics;

/**
 * The numbers of the cache of values, which all objects of a runtime share. Immutable.
 *
 * @param hits how many reads of a key were served from memory, or found it to be absent there
 * @param misses how many reads of a key went to the storage
 * @param evictions how many values were dropped because the cache was full
 * @param bytes about how much memory the values take now, in bytes
 */
public record ValueCacheStatistics(long hits, long misses, long evictions, long bytes) {

  /** The numbers of a runtime without a cache. */
  public static final ValueCacheStatistics NONE = new ValueCacheStatistics(0, 0, 0, 0);

  /**
   * Returns what happened after an earlier snapshot: counters are subtracted, the bytes come from
   * this snapshot.
   *
   * @param earlier the earlier snapshot
   * @return the numbers of the time between the two
   */
  public ValueCacheStatistics minus(ValueCacheStatistics earlier) {
    return new ValueCacheStatistics(
        hits - earlier.hits, misses - earlier.misses, evictions - earlier.evictions, bytes);
  }
}
