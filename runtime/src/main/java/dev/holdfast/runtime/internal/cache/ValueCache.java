package dev.holdfast.runtime.internal.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import dev.holdfast.statistics.ValueCacheStatistics;
import org.jspecify.annotations.Nullable;

/**
 * The values that all objects of a runtime have read lately, and the keys that they found to be
 * absent. One bound for all: an object that reads much displaces the entries of others.
 *
 * <p>Thread-safe; each value is confined to the turn of its object.
 */
public final class ValueCache {

  private final @Nullable Cache<CacheKey, CachedValue> values;
  private final ValueCounters counters = new ValueCounters();

  /**
   * Creates an empty cache.
   *
   * @param bytesMax its approximate limit of memory; 0 for no cache
   */
  public ValueCache(long bytesMax) {
    this.values =
        bytesMax == 0
            ? null
            : Caffeine.newBuilder()
                .maximumWeight(bytesMax)
                .<CacheKey, CachedValue>weigher((_, value) -> value.weightBytes())
                .evictionListener((key, _, _) -> evicted(key))
                .removalListener(this::removed)
                // Maintenance is short, so the calling thread does it: the cache starts no thread.
                .executor(Runnable::run)
                .build();
  }

  private static void evicted(@Nullable CacheKey key) {
    if (key != null) {
      key.removed();
    }
  }

  private void removed(@Nullable CacheKey key, @Nullable CachedValue value, RemovalCause cause) {
    if (cause.wasEvicted()) {
      counters.evicted();
    }
    if (value != null) {
      counters.removed(value);
    }
  }

  /** {@return the numbers of the cache; takes no lock} */
  public ValueCacheStatistics statistics() {
    return counters.snapshot();
  }

  /** {@return how many keys are in the cache; for tests} */
  public long count() {
    if (values == null) {
      return 0;
    }
    values.cleanUp();
    return values.estimatedSize();
  }

  /** {@return the part of a new instance of an object, empty at first} */
  public ObjectCache forInstance() {
    return new ObjectCache(values, counters);
  }
}
