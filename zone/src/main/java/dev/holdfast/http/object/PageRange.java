package dev.holdfast.http.object;

/**
 * The requested page of a list.
 *
 * @param number from 1
 * @param size at least 1
 */
public record PageRange(int number, int size) {

  /**
   * {@return the page that has all items}
   *
   * @param count the number of items
   */
  public static PageRange all(long count) {
    return new PageRange(1, (int) Math.max(1, count));
  }

  /** {@return the number of items before the page} */
  public long offset() {
    return (number - 1L) * size;
  }
}
