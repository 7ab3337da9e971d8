package dev.holdfast.backend.sqlite.words;

/**
 * Letter case as SQLite defines it: for the 26 Latin letters only. Java treats the Kelvin sign as a
 * K, and would read another text than the library does.
 */
public final class AsciiCase {

  private AsciiCase() {}

  public static String lower(String text) {
    StringBuilder lower = null;
    for (int at = 0; at < text.length(); at++) {
      char each = text.charAt(at);
      if (each >= 'A' && each <= 'Z') {
        if (lower == null) {
          lower = new StringBuilder(text);
        }
        lower.setCharAt(at, lower(each));
      }
    }
    return lower == null ? text : lower.toString();
  }

  public static boolean equal(String one, String other) {
    return one.length() == other.length() && startsWith(one, other, 0);
  }

  /** {@return whether a text contains another one at an index} */
  public static boolean startsWith(String text, String part, int from) {
    if (from + part.length() > text.length()) {
      return false;
    }
    for (int at = 0; at < part.length(); at++) {
      if (lower(text.charAt(from + at)) != lower(part.charAt(at))) {
        return false;
      }
    }
    return true;
  }

  private static char lower(char each) {
    return each >= 'A' && each <= 'Z' ? (char) (each + ('a' - 'A')) : each;
  }
}
