package dev.holdfast;

import java.util.Optional;

/**
 * Which objects of a namespace to list. Immutable; change with the {@code with} methods.
 *
 * @param prefix only objects whose name begins with it, compared as UTF-8; empty for all objects,
 *     also those without a name
 * @param cursor where to begin: what the page before has given; empty for the first page
 * @param limit most objects of the page: 1 to {@link #LIMIT_MAX}
 */
public record ObjectListOptions(Optional<String> prefix, Optional<String> cursor, int limit) {

  /** Most objects of one page. */
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
   * @param text what the names begin with
   */
  public ObjectListOptions withPrefix(String text) {
    return new ObjectListOptions(Optional.of(text), cursor, limit);
  }

  /**
   * {@return these options for another page}
   *
   * @param position the cursor of the page before
   */
  public ObjectListOptions withCursor(String position) {
    return new ObjectListOptions(prefix, Optional.of(position), limit);
  }

  /**
   * {@return these options with another size of the page}
   *
   * @param max the new size
   */
  public ObjectListOptions withLimit(int max) {
    return new ObjectListOptions(prefix, cursor, max);
  }
}
