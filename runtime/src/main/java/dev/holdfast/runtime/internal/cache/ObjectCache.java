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
  private final ValueCounters counters;
  private Generation generation = new Generation();

  ObjectCache(@Nullable Cache<CacheKey, CachedValue> values, ValueCounters counters) {
    this.values = values;
    this.counters = counters;
  }

  /**
   * Reads a key. The read is counted.
   *
   * @param key the key
   * @return its cached state; null if there is none
   */
  public @Nullable CachedValue read(String key) {
    if (values == null) {
      return null;
    }
    CachedValue found = values.getIfPresent(new CacheKey(generation, key));
    counters.read(found != null);
    return found;
  }

  /**
   * Reads a key as {@link #read} does, but the cache does not keep it longer because of that.
   *
   * @param key the key
   * @return its cached state; null if there is none
   */
  public @Nullable CachedValue readQuietly(String key) {
    CachedValue found = findQuietly(key);
    if (values != null) {
      counters.read(found != null);
    }
    return found;
  }

  /**
   * {@return the cached state of a key, without counting as a read or a use of it; null if there is
   * none}
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
      counters.added(value);
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
      CachedValue larger = new CachedValue(key, bytes);
      counters.added(larger);
      if (values.asMap().replace(cacheKey, larger) == null) {
        counters.removed(larger);
      }
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
