package dev.holdfast.runtime.internal.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import org.jspecify.annotations.Nullable;

/**
 * The values that all objects of a runtime have read lately, and the keys that they found to be
 * absent. One bound for all: an object that reads much displaces the entries of others.
 *
 * <p>Thread-safe; each value is confined to the turn of its object.
 */
public final class ValueCache {

  private final @Nullable Cache<CacheKey, CachedValue> values;

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
                .evictionListener((key, _, _) -> dropped(key))
                // Maintenance is short, so the calling thread does it: the cache starts no thread.
                .executor(Runnable::run)
                .build();
  }

  private static void dropped(@Nullable CacheKey key) {
    if (key != null) {
      key.removed();
    }
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
    return new ObjectCache(values);
  }
}
