package dev.holdfast.http.expression;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/** A regular expression that matches in time linear in its input. Immutable. */
final class Regex {

  static {
    // Does what a "requires" would do if the library had a stable module name. A class literal
    // would
    // be refused before its module is read.
    try {
      Regex.class.getModule().addReads(Class.forName("com.google.re2j.Pattern").getModule());
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException("RE2/J is missing: add com.google.re2j:re2j", e);
    }
  }

  /** The cost of the library's work before it reads the first character. */
  private static final long START_UNITS = 32;

  private final String source;
  private final Pattern pattern;

  private Regex(String source, Pattern pattern) {
    this.source = source;
    this.pattern = pattern;
  }

  /**
   * Compiles an expression.
   *
   * @throws IllegalArgumentException if it is malformed; the message states why
   */
  static Regex compile(String source) {
    if (RegexSize.of(source) > ExpressionBounds.REGEX_SIZE_MAX) {
      // The library would create all states, even a billion, before it reports the number.
      throw new IllegalArgumentException("too large: its repetitions multiply");
    }
    try {
      return new Regex(source, Pattern.compile(source));
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(e.getDescription(), e);
    }
  }

  /** {@return the number of states that a position in the text can have} */
  int states() {
    return pattern.programSize();
  }

  boolean find(String bytes, FilterWork work) {
    work.charge(START_UNITS + states() * (bytes.length() + 1L));
    return pattern.matcher(Bytes.toArray(bytes)).find();
  }

  /** Replaces the first match; a group that is not in the expression is empty. */
  String replaceFirst(String bytes, String replacement, FilterWork work) {
    // Once to find the match and once to find its groups, whose positions each state keeps.
    work.charge(START_UNITS + states() * (bytes.length() + 1L) * (2 + pattern.groupCount() / 4));
    Matcher matcher = pattern.matcher(Bytes.toArray(bytes));
    if (!matcher.find()) {
      return bytes;
    }
    StringBuilder out = new StringBuilder(bytes.substring(0, matcher.start()));
    Replacement.append(
        out,
        replacement,
        group ->
            group <= matcher.groupCount() && matcher.start(group) >= 0
                ? bytes.substring(matcher.start(group), matcher.end(group))
                : "");
    out.append(bytes, matcher.end(), bytes.length());
    work.read(out.length());
    return out.toString();
  }

  String source() {
    return source;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Regex that && source.equals(that.source);
  }

  @Override
  public int hashCode() {
    return source.hashCode();
  }
}
