package dev.holdfast.runtime.internal.cache;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A key of one object, valid while what was read of it is current. Immutable.
 *
 * <p>A class and not a record, because every read looks it up: the two parts are compared in the
 * cheapest way.
 */
final class CacheKey {

  /**
   * The owner of the key: an object without content, replaced when everything that was read may be
   * stale.
   */
  private final Generation generation;

  private final String key;
  private final int hash;

  /**
   * A generation: the values that an instance has read since they were last invalidated, with the
   * keys that the cache has of it. Equal to itself only. The object's turn adds keys, any thread
   * removes them.
   */
  static final class Generation {
    private final int hash = System.identityHashCode(this);

    /**
     * Null until the first key: many instances read nothing. Set before the first key is cached.
     */
    private @Nullable Set<CacheKey> kept;

    Set<CacheKey> kept() {
      Set<CacheKey> keys = kept;
      return keys == null ? Set.of() : keys;
    }

    private void add(CacheKey key) {
      Set<CacheKey> keys = kept;
      if (keys == null) {
        keys = ConcurrentHashMap.newKeySet();
        kept = keys;
      }
      keys.add(key);
    }

    private void remove(CacheKey key) {
      Set<CacheKey> keys = kept;
      if (keys != null) {
        keys.remove(key);
      }
    }
  }

  CacheKey(Generation generation, String key) {
    this.generation = generation;
    this.key = key;
    this.hash = 31 * generation.hash + key.hashCode();
  }

  /** Records that the cache has the key. */
  void added() {
    generation.add(this);
  }

  /** Records that the cache no longer has the key. */
  void removed() {
    generation.remove(this);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof CacheKey that
        && generation == that.generation
        && hash == that.hash
        && key.equals(that.key);
  }

  @Override
  public int hashCode() {
    return hash;
  }
}
