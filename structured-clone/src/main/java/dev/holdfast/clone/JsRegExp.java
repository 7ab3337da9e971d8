package dev.holdfast.clone;

import dev.holdfast.clone.internal.Latin1;
import org.jspecify.annotations.Nullable;

/**
 * A regular expression, without its {@code lastIndex}, which structured clone does not keep.
 *
 * <p>The flags are checked. In the pattern, only the brackets are checked: the reference refuses to
 * read a pattern that does not compile, and a truncated pattern often has an open group. Otherwise
 * the pattern is stored unchanged.
 *
 * <p>Immutable.
 */
public final class JsRegExp implements JsValue {

  private static final String LETTERS_IN_ORDER = "dgimsuvy";

  /** A {@code String} or {@link JsString}. */
  private final Object source;

  private final String flags;

  private JsRegExp(Object source, String flags) {
    this.flags = sorted(flags);
    String text = JsString.textOf(source);
    String escaped = escaped(text);
    // A separator of lines is escaped within a string of two bytes a character, and stays in one.
    boolean isWide = source instanceof JsString || (Latin1.covers(escaped) && !Latin1.covers(text));
    this.source = isWide ? new JsString(escaped) : escaped;
  }

  /**
   * Returns the expression that {@code new RegExp(pattern, flags)} creates.
   *
   * @param pattern the pattern
   * @param flags letters of {@code dgimsuvy}
   * @return the expression
   * @throws IllegalArgumentException if a flag is unknown, given twice, or {@code u} and {@code v}
   *     are combined; or if a group, a class or an escape of the pattern has no end
   */
  public static JsRegExp of(String pattern, String flags) {
    return new JsRegExp(pattern, flags);
  }

  /**
   * Returns the pattern.
   *
   * @return the text, with slashes and line ends escaped as JavaScript's {@code source} has them
   */
  public String source() {
    return JsString.textOf(source);
  }

  /**
   * Returns the flags.
   *
   * @return letters of {@code dgimsuvy}, in this order
   */
  public String flags() {
    return flags;
  }

  /**
   * Returns the literal.
   *
   * @return such as {@code /a+b/gi}
   */
  @Override
  public String toString() {
    return "/" + source() + "/" + flags;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof JsRegExp regExp
        && regExp.source().equals(source())
        && regExp.flags.equals(flags);
  }

  @Override
  public int hashCode() {
    return 31 * source().hashCode() + flags.hashCode();
  }

  Object storedSource() {
    return source;
  }

  /** Returns the expression for a {@code String} or {@link JsString}. */
  static JsRegExp of(Object source, String flags) {
    return new JsRegExp(source, flags);
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
    int openGroups = 0;
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
      } else if (!afterBackslash && !inClass && (c == '(' || c == ')')) {
        openGroups += c == '(' ? 1 : -1;
        requirePattern(openGroups >= 0, "an end without a group");
      }
      afterBackslash = c == '\\' && !afterBackslash;
    }
    requirePattern(!inClass, "a class without end");
    requirePattern(openGroups == 0, "a group without end");
    requirePattern(!afterBackslash, "an escape without end");
    return escaped.toString();
  }

  private static void requirePattern(boolean holds, String fault) {
    if (!holds) {
      throw new IllegalArgumentException(fault);
    }
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
