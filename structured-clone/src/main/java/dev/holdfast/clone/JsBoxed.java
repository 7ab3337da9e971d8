package dev.holdfast.clone;

import java.math.BigInteger;

/**
 * A primitive in an object, such as {@code new Number(5)}.
 *
 * @param value a {@code Double}, {@code Boolean}, {@code BigInteger}, {@code String} or {@link
 *     JsString}
 */
public record JsBoxed(Object value) implements JsValue {

  /**
   * Checks the kind of the primitive.
   *
   * @throws IllegalArgumentException if the value is not of one of these kinds
   */
  public JsBoxed {
    if (!(value instanceof Double
        || value instanceof Boolean
        || value instanceof BigInteger
        || value instanceof String
        || value instanceof JsString)) {
      throw new IllegalArgumentException("not a primitive that can be boxed: " + value.getClass());
    }
  }
}
