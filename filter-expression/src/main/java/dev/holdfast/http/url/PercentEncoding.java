package dev.holdfast.http.url;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/** Percent-encoding as in browsers: existing escapes are kept. */
final class PercentEncoding {

  private static final HexFormat HEX = HexFormat.of().withUpperCase();
  private static final String IN_PATH = " \"#<>?^`{}";
  private static final String IN_QUERY = " \"#<>'";

  private PercentEncoding() {}

  static String path(String segment) {
    return encode(segment, IN_PATH);
  }

  static String query(String query) {
    return encode(query, IN_QUERY);
  }

  private static String encode(String text, String escaped) {
    int kept = 0;
    while (kept < text.length() && isKept(text.charAt(kept), escaped)) {
      kept++;
    }
    if (kept == text.length()) {
      return text;
    }
    StringBuilder out = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            c -> {
              if (isKept(c, escaped)) {
                out.append((char) c);
                return;
              }
              // Half of a surrogate pair is not a character.
              boolean half = c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE;
              String character = half ? "\uFFFD" : Character.toString(c);
              for (byte b : character.getBytes(StandardCharsets.UTF_8)) {
                out.append('%').append(HEX.toHexDigits(b));
              }
            });
    return out.toString();
  }

  private static boolean isKept(int c, String escaped) {
    return c > ' ' && c <= '~' && escaped.indexOf(c) < 0;
  }

  /** {@return the bytes of a text, with every escape decoded} */
  static byte[] decode(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    int length = 0;
    for (int i = 0; i < bytes.length; i++) {
      boolean escape =
          bytes[i] == '%'
              && i + 2 < bytes.length
              && HexFormat.isHexDigit(bytes[i + 1])
              && HexFormat.isHexDigit(bytes[i + 2]);
      if (escape) {
        bytes[length++] =
            (byte)
                (HexFormat.fromHexDigit(bytes[i + 1]) << 4 | HexFormat.fromHexDigit(bytes[i + 2]));
        i += 2;
      } else {
        bytes[length++] = bytes[i];
      }
    }
    return Arrays.copyOf(bytes, length);
  }
}
