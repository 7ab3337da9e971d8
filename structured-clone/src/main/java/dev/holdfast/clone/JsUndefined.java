package dev.holdfast.clone;

/** The value {@code undefined}, which is not {@code null}; it is also what a hole reads as. */
public enum JsUndefined implements JsValue {
  /** The one value. */
  UNDEFINED;

  /**
   * Returns the JavaScript word.
   *
   * @return {@code undefined}
   */
  @Override
  public String toString() {
    return "undefined";
  }
}
