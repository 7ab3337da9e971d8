package dev.holdfast.http.internal.reply;

/**
 * The requested page of a list.
 *
 * @param number from 1
 * @param size at least 1
 */
public record Page(int number, int size) {

  /** {@return the number of items before the page} */
  public long offset() {
    return (number - 1L) * size;
  }
}
