package dev.holdfast.http.internal.pagemonitor;

import java.util.List;

/** Values of list parameters in which a star at either end matches any text. */
final class Wildcards {

  private Wildcards() {}

  /** Returns whether any of some patterns matches; an empty list matches everything. */
  static boolean anyMatches(List<String> patterns, String text) {
    return patterns.isEmpty() || patterns.stream().anyMatch(pattern -> matches(pattern, text));
  }

  private static boolean matches(String pattern, String text) {
    boolean open = pattern.startsWith("*");
    boolean openEnd = pattern.length() > 1 && pattern.endsWith("*");
    String plain = pattern.substring(open ? 1 : 0, pattern.length() - (openEnd ? 1 : 0));
    if (open) {
      return openEnd ? text.contains(plain) : text.endsWith(plain);
    }
    return openEnd ? text.startsWith(plain) : text.equals(plain);
  }
}
