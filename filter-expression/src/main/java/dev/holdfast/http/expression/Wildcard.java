package dev.holdfast.http.expression;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A pattern in which {@code *} matches any bytes; {@code \*} and {@code \\} are literals. The
 * pattern must match the whole value.
 *
 * @param pattern the pattern as written
 * @param strict whether the pattern is case-sensitive
 * @param parts the literal parts between the stars, in lower case unless strict
 */
record Wildcard(String pattern, boolean strict, List<String> parts) {

  /**
   * Reads a pattern.
   *
   * @throws IllegalArgumentException if it has two stars in a row; the message states this
   */
  static Wildcard compile(String pattern, boolean strict) {
    List<String> parts = new ArrayList<>();
    StringBuilder part = new StringBuilder();
    boolean afterStar = false;
    for (int i = 0; i < pattern.length(); i++) {
      char c = pattern.charAt(i);
      if (c == '*') {
        if (afterStar) {
          throw new IllegalArgumentException("wildcard contains a double star");
        }
        parts.add(part.toString());
        part.setLength(0);
        afterStar = true;
        continue;
      }
      if (c == '\\') {
        i++;
        if (i == pattern.length() || (pattern.charAt(i) != '*' && pattern.charAt(i) != '\\')) {
          throw new IllegalArgumentException("invalid escape sequence in wildcard");
        }
      }
      part.append(pattern.charAt(i));
      afterStar = false;
    }
    parts.add(part.toString());
    return new Wildcard(
        pattern, strict, strict ? List.copyOf(parts) : parts.stream().map(Bytes::lower).toList());
  }

  /**
   * Returns the text that each star matches, or null if the pattern does not match. Leftmost,
   * shortest first.
   */
  @Nullable List<String> match(String bytes, FilterWork work) {
    work.search(bytes.length(), parts.stream().mapToInt(String::length).max().orElse(0));
    String text = strict ? bytes : Bytes.lower(bytes);
    String first = parts.getFirst();
    if (parts.size() == 1) {
      return text.equals(first) ? List.of() : null;
    }
    String last = parts.getLast();
    if (!text.startsWith(first) || text.length() < first.length() + last.length()) {
      return null;
    }
    List<String> stars = new ArrayList<>(parts.size() - 1);
    int at = first.length();
    int end = text.length() - last.length();
    for (String part : parts.subList(1, parts.size() - 1)) {
      int found = text.indexOf(part, at);
      if (found < 0 || found + part.length() > end) {
        return null;
      }
      stars.add(bytes.substring(at, found));
      at = found + part.length();
    }
    if (!text.endsWith(last)) {
      return null;
    }
    stars.add(bytes.substring(at, end));
    return stars;
  }
}
