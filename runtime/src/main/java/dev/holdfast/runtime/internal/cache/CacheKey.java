package dev.holdfast.runtime.internal.cache;

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

  /** One state of trust in what an instance has read. Equal to itself only. */
  static final class Generation {
    private final int hash = System.identityHashCode(this);
  }

  CacheKey(Generation generation, String key) {
    this.generation = generation;
    this.key = key;
    this.hash = 31 * generation.hash + key.hashCode();
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
