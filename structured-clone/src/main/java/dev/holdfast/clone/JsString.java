package dev.holdfast.clone;

/**
 * A string that is stored with two bytes per character although one is enough.
 *
 * <p>JavaScript engines create such strings, for example as parts of longer ones. Only {@link
 * StructuredClone#exact()} distinguishes them; otherwise they are read as {@code String} and
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
    if (!isLatin1(value)) {
      throw new IllegalArgumentException("a character above U+00FF; use the String itself");
    }
  }

  /** Returns the text of a {@code String} or {@code JsString}. */
  static String textOf(Object string) {
    return string instanceof JsString wide ? wide.value() : (String) string;
  }

  static boolean isLatin1(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) > 0xFF) {
        return false;
      }
    }
    return true;
  }
}
