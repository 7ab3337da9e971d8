package dev.holdfast.http.internal.reply;

/**
 * Which page of a list is asked for.
 *
 * @param number from 1
 * @param size at least 1
 */
public record Page(int number, int size) {

  /** {@return how many items lie before the page} */
  public long offset() {
    return (number - 1L) * size;
  }
}
