package dev.holdfast.conformance.value;

/**
 * A result that is no data: the recordings show only what it is.
 *
 * @param text the class of an object, or a time told from another one
 */
public record Shown(String text) {

  /**
   * Returns an object that is only known by its class.
   *
   * @param name the class
   * @return the result
   */
  public static Shown object(String name) {
    return new Shown("<" + name + ">");
  }

  /**
   * Returns a time told from the start of the case.
   *
   * @param millis after the start
   * @return the result
   */
  public static Shown now(long millis) {
    return new Shown("start + " + millis + " ms");
  }

  /**
   * Returns a time told from the operation that set it.
   *
   * @param millis after the operation
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
   * Returns a result of which only the size is told.
   *
   * @param size the size, or the type of what has none
   * @return the result
   */
  public static Shown size(String size) {
    return new Shown("size " + size);
  }
}
