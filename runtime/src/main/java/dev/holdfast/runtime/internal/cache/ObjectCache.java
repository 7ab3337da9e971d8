package dev.holdfast.runtime.internal.cache;

import com.github.benmanes.caffeine.cache.Cache;
import dev.holdfast.runtime.internal.cache.CacheKey.Generation;
import org.jspecify.annotations.Nullable;

/**
 * The part of the {@link ValueCache} that belongs to one instance of an object. It shows what the
 * current turn sees: writes go through it. A new instance begins with an empty cache, so it never
 * finds what a reset took back.
 *
 * <p>Owned by the object's turn.
 */
public final class ObjectCache {

  private final @Nullable Cache<CacheKey, CachedValue> values;
  private Generation generation = new Generation();

  ObjectCache(@Nullable Cache<CacheKey, CachedValue> values) {
    this.values = values;
  }

  /**
   * {@return the cached state of a key; null if there is none}
   *
   * @param key the key
   */
  public @Nullable CachedValue find(String key) {
    return values == null ? null : values.getIfPresent(new CacheKey(generation, key));
  }

  /**
   * {@return the cached state of a key, without counting as a use of it; null if there is none}
   *
   * @param key the key
   */
  public @Nullable CachedValue findQuietly(String key) {
    return values == null
        ? null
        : values.policy().getIfPresentQuietly(new CacheKey(generation, key));
  }

  /**
   * Keeps what was read.
   *
   * @param key the key
   * @param bytes the value; null if there is none; not changed afterwards
   * @return the state of the key, whether the cache keeps it or not
   */
  public CachedValue keep(String key, byte @Nullable [] bytes) {
    CachedValue value = new CachedValue(key, bytes);
    if (values != null) {
      CacheKey cacheKey = new CacheKey(generation, key);
      cacheKey.added(); // before the put: the cache may drop it at once
      values.put(cacheKey, value);
    }
    return value;
  }

  /**
   * Records a write. A key that is not in the cache is not added: code that writes much does not
   * always read it again.
   *
   * @param key the key
   * @param bytes the new value; null if the key was deleted; not changed afterwards
   */
  public void wrote(String key, byte @Nullable [] bytes) {
    if (values == null) {
      return;
    }
    CacheKey cacheKey = new CacheKey(generation, key);
    CachedValue present = values.getIfPresent(cacheKey);
    if (present == null) {
      return;
    }
    if (present.hasRoomFor(key, bytes)) {
      present.set(bytes);
    } else {
      // An entry that was dropped meanwhile stays dropped: otherwise the end of the instance would
      // not drop it.
      values.asMap().replace(cacheKey, new CachedValue(key, bytes));
    }
  }

  /**
   * Drops a key.
   *
   * @param key the key
   */
  public void drop(String key) {
    if (values != null) {
      CacheKey cacheKey = new CacheKey(generation, key);
      values.invalidate(cacheKey);
      cacheKey.removed();
    }
  }

  /** Drops all entries of this object: they may be stale, or the instance has ended. */
  public void dropAll() {
    if (values != null && !generation.kept().isEmpty()) {
      values.invalidateAll(generation.kept());
      generation = new Generation();
    }
  }
}
