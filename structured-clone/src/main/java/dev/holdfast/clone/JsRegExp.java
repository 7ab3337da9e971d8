package dev.holdfast.clone;

import org.jspecify.annotations.Nullable;

/**
 * A regular expression, without its {@code lastIndex}, which structured clone does not keep.
 *
 * @param source the pattern, escaped as JavaScript's {@code source} gives it
 * @param flags letters of {@code dgimsuvy}, in that order
 */
public record JsRegExp(String source, String flags) implements JsValue {

  /** The letters of the flags, at the place of their bit; a blank for one not in use. */
  private static final String LETTERS_BY_BIT = "gimyus dv";

  private static final String LETTERS_IN_ORDER = "dgimsuvy";

  /**
   * Escapes the pattern as {@code new RegExp(source, flags)} does: a slash outside of a class, line
   * ends; and sorts the flags.
   *
   * @throws IllegalArgumentException if a flag is unknown, given twice, or {@code u} and {@code v}
   *     are combined; or if the pattern is no pattern
   */
  public JsRegExp {
    flags = sorted(flags);
    source = escaped(source);
    RegExpSyntax.check(source, flags);
  }

  /** Returns the expression of the bits read, or throws IllegalArgumentException. */
  static JsRegExp ofBits(String source, int bits) {
    StringBuilder flags = new StringBuilder();
    int rest = bits;
    for (int bit = 0; bit < LETTERS_BY_BIT.length(); bit++) {
      if ((bits & 1 << bit) != 0 && LETTERS_BY_BIT.charAt(bit) != ' ') {
        flags.append(LETTERS_BY_BIT.charAt(bit));
        rest &= ~(1 << bit);
      }
    }
    if (rest != 0) {
      throw new IllegalArgumentException("flags 0x" + Integer.toHexString(bits));
    }
    return new JsRegExp(source, flags.toString());
  }

  int bits() {
    int bits = 0;
    for (int i = 0; i < flags.length(); i++) {
      bits |= 1 << LETTERS_BY_BIT.indexOf(flags.charAt(i));
    }
    return bits;
  }

  private static String sorted(String flags) {
    StringBuilder sorted = new StringBuilder();
    for (int i = 0; i < LETTERS_IN_ORDER.length(); i++) {
      if (flags.indexOf(LETTERS_IN_ORDER.charAt(i)) >= 0) {
        sorted.append(LETTERS_IN_ORDER.charAt(i));
      }
    }
    boolean bothUnicode = flags.indexOf('u') >= 0 && flags.indexOf('v') >= 0;
    if (sorted.length() != flags.length() || bothUnicode) {
      throw new IllegalArgumentException("flags \"" + flags + "\"");
    }
    return sorted.toString();
  }

  private static String escaped(String source) {
    if (source.isEmpty()) {
      return "(?:)";
    }
    StringBuilder escaped = new StringBuilder(source.length());
    boolean inClass = false;
    boolean afterBackslash = false;
    for (int i = 0; i < source.length(); i++) {
      char c = source.charAt(i);
      String lineEnd = lineEnd(c);
      if (lineEnd != null) {
        // The backslash before it, if there is one, is already in the result.
        escaped.append(afterBackslash ? "" : "\\").append(lineEnd);
      } else {
        escaped.append(c == '/' && !inClass && !afterBackslash ? "\\" : "").append(c);
      }
      if (!afterBackslash && (c == '[' || c == ']')) {
        inClass = c == '[';
      }
      afterBackslash = c == '\\' && !afterBackslash;
    }
    return escaped.toString();
  }

  private static @Nullable String lineEnd(char c) {
    return switch (c) {
      case '\n' -> "n";
      case '\r' -> "r";
      case '\u2028' -> "u2028";
      case '\u2029' -> "u2029";
      default -> null;
    };
  }
}
