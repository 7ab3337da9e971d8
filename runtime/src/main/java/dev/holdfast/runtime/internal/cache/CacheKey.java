package dev.holdfast.runtime.internal.cache;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A key of one object, while what was read of it is right. Immutable.
 *
 * <p>A class and not a record, to compare the two parts in the cheapest way: this is looked up with
 * every read.
 */
final class CacheKey {

  /** Whose key: an object of no content, replaced when everything that was read may be wrong. */
  private final Generation generation;

  private final String key;
  private final int hash;

  /**
   * One state of trust in what an instance has read, with the keys that the cache has of it. Equal
   * to itself only. Keys are added by the object's turn and removed by any thread.
   */
  static final class Generation {
    private final int hash = System.identityHashCode(this);

    /** Null until there is one: many instances read nothing. Set before the first key is cached. */
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

  /** The cache has the key. */
  void added() {
    generation.add(this);
  }

  /** The cache does not have the key any more. */
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
