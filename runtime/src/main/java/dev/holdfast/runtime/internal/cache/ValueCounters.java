package dev.holdfast.runtime.internal.cache;

import dev.holdfast.statistics.ValueCacheStatistics;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the reads of the cache, and what it holds. Caffeine's own counters are not used: its size
 * in bytes is read under the lock of its maintenance, which a call may need. Thread-safe.
 */
final class ValueCounters {

  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder evictions = new LongAdder();
  private final LongAdder bytes = new LongAdder();

  void read(boolean isHit) {
    (isHit ? hits : misses).increment();
  }

  void evicted() {
    evictions.increment();
  }

  /** Counts a value before the cache gets it: the cache may drop it at once. */
  void added(CachedValue value) {
    bytes.add(value.weightBytes());
  }

  void removed(CachedValue value) {
    bytes.add(-value.weightBytes());
  }

  ValueCacheStatistics snapshot() {
    return new ValueCacheStatistics(hits.sum(), misses.sum(), evictions.sum(), bytes.sum());
  }
}
