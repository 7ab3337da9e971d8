package dev.holdfast.clone;

import dev.holdfast.clone.internal.Latin1;

/**
 * A string that is stored with two bytes per character although one is enough.
 *
 * <p>JavaScript engines create such strings, for example as parts of longer ones. Only {@code
 * StructuredClone.exact()} distinguishes them; otherwise they are read as {@code String} and
 * written with one byte.
 *
 * @param value the text, with no character above U+00FF
 */
public record JsString(String value) implements JsValue {

  /**
   * Checks that the text is of this kind.
   *
   * @throws IllegalArgumentException if it has a character above U+00FF: then it is a {@code
   *     String} like any other
   */
  public JsString {
    if (!Latin1.covers(value)) {
      throw new IllegalArgumentException("a character above U+00FF; use the String itself");
    }
  }

  /** Returns the text of a {@code String} or {@code JsString}. */
  static String textOf(Object string) {
    return string instanceof JsString wide ? wide.value() : (String) string;
  }
}
