package dev.holdfast.http.internal.pagemonitor;

import java.util.List;

/** Values of list parameters in which a star at either end stands for anything. */
final class Wildcards {

  private Wildcards() {}

  /** Whether any of some patterns matches; none at all ask for nothing, so they match. */
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
