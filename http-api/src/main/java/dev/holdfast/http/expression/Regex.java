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
    try {
      return new Regex(source, Pattern.compile(source));
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(e.getDescription(), e);
    }
  }

  boolean find(String bytes) {
    return pattern.matcher(Bytes.toArray(bytes)).find();
  }

  /** Replaces the first match; the replacement may name groups 1 to 8 as {@code ${n}}. */
  String replaceFirst(String bytes, String replacement) {
    Matcher matcher = pattern.matcher(Bytes.toArray(bytes));
    if (!matcher.find()) {
      return bytes;
    }
    StringBuilder out = new StringBuilder(bytes.substring(0, matcher.start()));
    int at = 0;
    while (at < replacement.length()) {
      char c = replacement.charAt(at);
      if (c == '$' && replacement.startsWith("$$", at)) {
        out.append('$');
        at += 2;
      } else if (c == '$' && isGroup(replacement, at)) {
        int group = replacement.charAt(at + 2) - '0';
        if (group <= matcher.groupCount() && matcher.start(group) >= 0) {
          out.append(bytes, matcher.start(group), matcher.end(group));
        }
        at += 4;
      } else {
        out.append(c);
        at++;
      }
    }
    return out.append(bytes.substring(matcher.end())).toString();
  }

  private static boolean isGroup(String replacement, int at) {
    return at + 3 < replacement.length()
        && replacement.charAt(at + 1) == '{'
        && replacement.charAt(at + 2) >= '1'
        && replacement.charAt(at + 2) <= '8'
        && replacement.charAt(at + 3) == '}';
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
