package dev.holdfast.clone;

/** The value {@code undefined}, which is not {@code null}; a hole is also read as this value. */
public enum JsUndefined implements JsValue {
  /** The one value. */
  UNDEFINED;

  /**
   * Returns the JavaScript keyword.
   *
   * @return {@code undefined}
   */
  @Override
  public String toString() {
    return "undefined";
  }
}
