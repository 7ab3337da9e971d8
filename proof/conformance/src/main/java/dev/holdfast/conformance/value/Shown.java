package dev.holdfast.conformance.value;

/**
 * A result that is not data: the recordings show only its kind.
 *
 * @param text the class of an object, or a time relative to another one
 */
public record Shown(String text) {

  /**
   * Returns an object of which only the class is known.
   *
   * @param name the class
   * @return the result
   */
  public static Shown object(String name) {
    return new Shown("<" + name + ">");
  }

  /**
   * Returns a time relative to the start of the case.
   *
   * @param millis milliseconds after the start
   * @return the result
   */
  public static Shown now(long millis) {
    return new Shown("start + " + millis + " ms");
  }

  /**
   * Returns a time relative to the operation that set it.
   *
   * @param millis milliseconds after the operation
   * @return the result
   */
  public static Shown soon(long millis) {
    return new Shown("operation + " + millis + " ms");
  }

  /** {@return a time that is only known to be the present} */
  public static Shown present() {
    return new Shown("the present");
  }

  /**
   * Returns a result of which only the size is known.
   *
   * @param size the size, or the type if it has no size
   * @return the result
   */
  public static Shown size(String size) {
    return new Shown("size " + size);
  }
}
