package dev.holdfast.http.url;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The target of a request in canonical form: what servers may read as the same is written the same.
 * Escapes of letters, digits, {@code -}, {@code .}, {@code _} and {@code ~} are decoded, other
 * escapes have upper-case digits, characters outside ASCII are escaped; in the path, a backslash is
 * a slash, repeated slashes are one, and dot segments are removed. All other characters stay as
 * they are. What servers read differently is refused. The canonical form of a canonical form is
 * itself. Immutable.
 *
 * @param path the path, which begins with a slash
 * @param query the query without the question mark; null if there is no question mark
 */
public record RequestTarget(String path, @Nullable String query) {

  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  /**
   * Reads a target.
   *
   * @param path the path as received
   * @param query the query as received, without the question mark; null if there is none
   * @return the canonical form
   * @throws IllegalArgumentException if the path does not begin with a slash, has a malformed or
   *     overlong escape, an escape of the byte 0, a control character, or hides an empty segment or
   *     a dot segment before a semicolon or between escaped slashes; the message says which
   */
  public static RequestTarget of(String path, @Nullable String query) {
    String escaped = escaped(path, true);
    if (!escaped.startsWith("/")) {
      throw new IllegalArgumentException("a path begins with a slash");
    }
    return new RequestTarget(withoutDots(escaped), query == null ? null : escaped(query, false));
  }

  /** {@return path and query, as in a request line} */
  @Override
  public String toString() {
    return query == null ? path : path + "?" + query;
  }

  /** {@return whether the path has an escaped slash or backslash, which some servers decode} */
  public boolean hasEscapedSlash() {
    return path.contains("%2F") || path.contains("%5C");
  }

  private static String escaped(String text, boolean isPath) {
    StringBuilder out = new StringBuilder(text.length());
    int previous = -1; // the byte of the escape just before
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      int octet = c == '%' ? octet(text, i) : -1;
      if (octet >= 0) {
        requireOrdinary(previous, octet, isPath);
        if (isUnreserved(octet)) {
          out.append((char) octet);
        } else {
          out.append('%').append(HEX.toHexDigits((byte) octet));
        }
        i += 2;
      } else if (c == '%') {
        if (isPath) {
          throw new IllegalArgumentException("a sign of percent begins no escape");
        }
        out.append("%25");
      } else if (c < ' ' || c == 127 || c == 0xFFFD) {
        throw new IllegalArgumentException("a control character, or bytes that are not UTF-8");
      } else if (c == ' ') {
        out.append("%20");
      } else if (c == '\\' && isPath) {
        out.append('/');
      } else if (c < 128) {
        out.append(c);
      } else {
        int point = text.codePointAt(i);
        i += Character.charCount(point) - 1;
        if (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE) {
          throw new IllegalArgumentException("half of a surrogate pair");
        }
        for (byte b : Character.toString(point).getBytes(StandardCharsets.UTF_8)) {
          out.append('%').append(HEX.toHexDigits(b));
        }
      }
      previous = octet;
    }
    return out.toString();
  }

  /** {@return the byte of the escape at a position; -1 if there is none} */
  private static int octet(String text, int at) {
    return at + 2 < text.length()
            && HexFormat.isHexDigit(text.charAt(at + 1))
            && HexFormat.isHexDigit(text.charAt(at + 2))
        ? HexFormat.fromHexDigits(text, at + 1, at + 3)
        : -1;
  }

  private static boolean isUnreserved(int c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '-'
        || c == '.'
        || c == '_'
        || c == '~';
  }

  /** Some decoders accept a character in more bytes than it needs, others end at the byte 0. */
  private static void requireOrdinary(int previous, int octet, boolean isPath) {
    if (!isPath) {
      return;
    }
    boolean isContinuation = octet >= 0x80 && octet < 0xC0;
    boolean isOverlong =
        isContinuation
            && (previous == 0xC0
                || previous == 0xC1
                || (previous == 0xE0 && octet < 0xA0)
                || (previous == 0xF0 && octet < 0x90)
                || previous >= 0xF8); // five bytes and more, which UTF-8 has no longer
    if (octet == 0 || isOverlong) {
      throw new IllegalArgumentException("an escape of the byte 0, or an overlong one");
    }
  }

  private static String withoutDots(String path) {
    List<String> segments = new ArrayList<>();
    String[] given = path.split("/", -1);
    for (int i = 1; i < given.length; i++) {
      String segment = given[i];
      boolean isLast = i == given.length - 1;
      requirePlain(segment);
      if (segment.equals("..") && !segments.isEmpty()) {
        segments.removeLast();
      }
      boolean isName = !segment.isEmpty() && !segment.equals(".") && !segment.equals("..");
      if (isName) {
        segments.add(segment);
      } else if (isLast) {
        segments.add("");
      }
    }
    return "/" + String.join("/", segments);
  }

  /** Servers of Java drop what follows a semicolon; others decode an escaped slash. */
  private static void requirePlain(String segment) {
    int semicolon = segment.indexOf(';');
    if (semicolon >= 0 && isNone(segment.substring(0, semicolon))) {
      throw new IllegalArgumentException("an empty segment or a dot segment with parameters");
    }
    String name = segment.split("%3B", 2)[0];
    if (name.length() < segment.length() && (name.equals(".") || name.equals(".."))) {
      throw new IllegalArgumentException("a dot segment with escaped parameters");
    }
    String slashes = segment.toUpperCase(Locale.ROOT).replace("%5C", "%2F");
    if (slashes.contains("%2F")) {
      for (String part : slashes.split("%2F", -1)) {
        String within = part.split(";|%3B", 2)[0];
        if (within.equals(".") || within.equals("..")) {
          throw new IllegalArgumentException("a dot segment between escaped slashes");
        }
      }
    }
  }

  private static boolean isNone(String name) {
    return name.isEmpty() || name.equals(".") || name.equals("..");
  }
}
