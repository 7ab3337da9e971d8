package dev.holdfast.storage;

import org.jspecify.annotations.Nullable;

/**
 * Which keys {@code list} returns. Keys are compared by their UTF-8 bytes, unsigned. All bounds
 * apply together: a prefix intersects with start and end. Immutable.
 *
 * @param start smallest key, inclusive; null for none
 * @param startAfter smallest key, exclusive; null for none; not together with {@code start}
 * @param end largest key, exclusive; null for none
 * @param prefix only keys that begin with it; null or empty for all
 * @param reverse largest key first; start and end keep their meaning
 * @param limit the largest number of pairs, counted in the order of the result; at least 1
 * @param read how to read
 */
public record ListOptions(
    @Nullable String start,
    @Nullable String startAfter,
    @Nullable String end,
    @Nullable String prefix,
    boolean reverse,
    int limit,
    ReadOptions read) {

  /** Everything, in ascending order. */
  public static final ListOptions ALL =
      new ListOptions(null, null, null, null, false, Integer.MAX_VALUE, ReadOptions.DEFAULT);

  /**
   * Checks what the reference checks, with the texts of the reference.
   *
   * @throws IllegalArgumentException if {@code limit} is not positive, or both {@code start} and
   *     {@code startAfter} are given
   */
  public ListOptions {
    if (limit < 1) {
      throw new IllegalArgumentException(
          "List limit must be positive. It is " + limit + "; leave it out to list everything.");
    }
    if (start != null && startAfter != null) {
      throw new IllegalArgumentException(
          "list() cannot be called with both start and startAfter values. Use one of them.");
    }
  }

  /**
   * {@return these options beginning at {@code key}, inclusive}
   *
   * @param key the key
   * @throws IllegalArgumentException if these options have a {@code startAfter}
   */
  public ListOptions withStart(String key) {
    return new ListOptions(key, startAfter, end, prefix, reverse, limit, read);
  }

  /**
   * {@return these options beginning after {@code key}}
   *
   * @param key the key
   * @throws IllegalArgumentException if these options have a {@code start}
   */
  public ListOptions withStartAfter(String key) {
    return new ListOptions(start, key, end, prefix, reverse, limit, read);
  }

  /**
   * {@return these options ending before {@code key}}
   *
   * @param key the key
   */
  public ListOptions withEnd(String key) {
    return new ListOptions(start, startAfter, key, prefix, reverse, limit, read);
  }

  /**
   * {@return these options with only the keys that begin with {@code text}}
   *
   * @param text the prefix
   */
  public ListOptions withPrefix(String text) {
    return new ListOptions(start, startAfter, end, text, reverse, limit, read);
  }

  /** {@return these options in descending order} */
  public ListOptions reversed() {
    return new ListOptions(start, startAfter, end, prefix, true, limit, read);
  }

  /**
   * {@return these options with at most {@code count} pairs}
   *
   * @param count the largest number of pairs
   * @throws IllegalArgumentException if it is not positive
   */
  public ListOptions withLimit(int count) {
    return new ListOptions(start, startAfter, end, prefix, reverse, count, read);
  }

  /**
   * {@return these options with other read options}
   *
   * @param options the new options
   */
  public ListOptions withRead(ReadOptions options) {
    return new ListOptions(start, startAfter, end, prefix, reverse, limit, options);
  }
}
