package dev.holdfast.http.expression;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/** A regular expression that takes time linear in what it is matched with. Immutable. */
final class Regex {

  static {
    // What a "requires" would do if the library had a module name to rely on.
    Regex.class.getModule().addReads(Pattern.class.getModule());
  }

  /** An expression of filters may have 64 of them. */
  private static final long STATES_MAX = 4_000;

  /** What the library does before it looks at the first character. */
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
   * @throws IllegalArgumentException if it is malformed; the message says why
   */
  static Regex compile(String source) {
    if (RegexSize.of(source) > STATES_MAX) {
      // The library would make them all, be it a billion, before it tells.
      throw new IllegalArgumentException("too large: its repetitions multiply");
    }
    try {
      return new Regex(source, Pattern.compile(source));
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(e.getDescription(), e);
    }
  }

  /** {@return how many states a place in the text can be in} */
  int states() {
    return pattern.programSize();
  }

  boolean find(String bytes, FilterWork work) {
    work.charge(START_UNITS + states() * (bytes.length() + 1L));
    return pattern.matcher(Bytes.toArray(bytes)).find();
  }

  /** Replaces the first match; what is not in the expression is an empty group. */
  String replaceFirst(String bytes, String replacement, FilterWork work) {
    // Once to find the match and once to find its groups, whose places each state keeps.
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
