package dev.holdfast.http.url;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The segments of a path without dot segments, percent-encoded. Immutable. */
final class UrlPath {

  private final List<String> segments;

  private UrlPath(List<String> segments) {
    this.segments = segments;
  }

  /** Reads a path that begins with a slash, or is empty. */
  static UrlPath of(String text) {
    UrlPath root = new UrlPath(List.of());
    return root.with(text.isEmpty() ? "" : text.substring(1));
  }

  /** {@return this path with a relative path appended} */
  UrlPath with(String relative) {
    List<String> all = new ArrayList<>(segments);
    int start = 0;
    while (start <= relative.length()) {
      int end = start;
      while (end < relative.length() && !WebUrl.isSlash(relative.charAt(end))) {
        end++;
      }
      add(all, relative.substring(start, end), end == relative.length());
      start = end + 1;
    }
    return new UrlPath(all);
  }

  /** {@return this path without its last segment} */
  UrlPath parent() {
    return new UrlPath(segments.subList(0, segments.size() - 1));
  }

  private static void add(List<String> all, String segment, boolean isLast) {
    String dots = segment.toLowerCase(Locale.ROOT).replace("%2e", ".");
    if (dots.equals("..")) {
      if (!all.isEmpty()) {
        all.removeLast();
      }
    } else if (!dots.equals(".")) {
      all.add(PercentEncoding.path(segment));
      return;
    }
    if (isLast) {
      all.add("");
    }
  }

  @Override
  public String toString() {
    return "/" + String.join("/", segments);
  }
}
