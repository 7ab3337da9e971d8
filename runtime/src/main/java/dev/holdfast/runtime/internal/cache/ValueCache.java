package dev.holdfast.runtime.internal.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import org.jspecify.annotations.Nullable;

/**
 * The values that all objects of a runtime have read lately, and the keys that they found to be
 * absent. One bound for all: an object that reads much takes the room of those that do not.
 *
 * <p>Thread-safe; each value belongs to the turn of the object whose it is.
 */
public final class ValueCache {

  private final @Nullable Cache<CacheKey, CachedValue> values;

  /**
   * Creates an empty cache.
   *
   * @param bytesMax about how much memory it may take; 0 for no cache
   */
  public ValueCache(long bytesMax) {
    this.values =
        bytesMax == 0
            ? null
            : Caffeine.newBuilder()
                .maximumWeight(bytesMax)
                .<CacheKey, CachedValue>weigher((_, value) -> value.weightBytes())
                .evictionListener((key, _, _) -> dropped(key))
                // Short work, done by whoever caused it: no thread that nobody asked for.
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

  /** {@return the part of a new instance of an object, empty} */
  public ObjectCache forInstance() {
    return new ObjectCache(values);
  }
}
