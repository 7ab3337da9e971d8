package dev.holdfast;

import java.util.Optional;

/**
 * Which objects of a namespace to list. Immutable; change with the {@code with} methods.
 *
 * @param prefix selects the objects whose name begins with it, compared as UTF-8; empty for all
 *     objects, including those without a name
 * @param cursor the cursor of the previous page; empty for the first page
 * @param limit the largest number of objects in the page: 1 to {@link #LIMIT_MAX}
 */
public record ObjectListOptions(Optional<String> prefix, Optional<String> cursor, int limit) {

  /** Largest number of objects in one page. */
  public static final int LIMIT_MAX = 10_000;

  /** The first thousand of all objects. */
  public static final ObjectListOptions ALL =
      new ObjectListOptions(Optional.empty(), Optional.empty(), 1_000);

  /**
   * Checks the range.
   *
   * @throws IllegalArgumentException if the limit is out of its range
   */
  public ObjectListOptions {
    if (limit < 1 || limit > LIMIT_MAX) {
      throw new IllegalArgumentException("limit must be 1 to " + LIMIT_MAX + ": " + limit);
    }
  }

  /**
   * {@return these options for names with a prefix}
   *
   * @param text the prefix of the names
   */
  public ObjectListOptions withPrefix(String text) {
    return new ObjectListOptions(Optional.of(text), cursor, limit);
  }

  /**
   * {@return these options for another page}
   *
   * @param position the cursor of the previous page
   */
  public ObjectListOptions withCursor(String position) {
    return new ObjectListOptions(prefix, Optional.of(position), limit);
  }

  /**
   * {@return these options with another page size}
   *
   * @param max the new size
   * @throws IllegalArgumentException if the limit is out of its range
   */
  public ObjectListOptions withLimit(int max) {
    return new ObjectListOptions(prefix, cursor, max);
  }
}
