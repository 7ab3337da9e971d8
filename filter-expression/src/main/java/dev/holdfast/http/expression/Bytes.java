package dev.holdfast.http.expression;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * Values of type Bytes are strings with a byte in each character: lengths and positions count
 * bytes, and strings have all the operations.
 */
final class Bytes {

  private Bytes() {}

  /** The bytes of a text in UTF-8. */
  static String ofText(String text) {
    return isAscii(text)
        ? text
        : new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  /** The bytes unchanged, for code that reads bytes. */
  static byte[] toArray(String bytes) {
    return bytes.getBytes(StandardCharsets.ISO_8859_1);
  }

  static String ofArray(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /** The text that the bytes mean in UTF-8. */
  static String toText(String bytes) {
    return isAscii(bytes) ? bytes : new String(toArray(bytes), StandardCharsets.UTF_8);
  }

  private static boolean isAscii(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) > 127) {
        return false;
      }
    }
    return true;
  }

  /** The bytes with every escape of a form decoded; what is not an escape stays. */
  static String percentDecoded(String bytes) {
    if (bytes.indexOf('%') < 0) {
      return bytes;
    }
    StringBuilder out = new StringBuilder(bytes.length());
    for (int i = 0; i < bytes.length(); i++) {
      char c = bytes.charAt(i);
      if (c == '%'
          && i + 2 < bytes.length()
          && HexFormat.isHexDigit(bytes.charAt(i + 1))
          && HexFormat.isHexDigit(bytes.charAt(i + 2))) {
        out.append((char) HexFormat.fromHexDigits(bytes, i + 1, i + 3));
        i += 2;
      } else {
        out.append(c);
      }
    }
    return out.toString();
  }

  /** A quoted string that is read back as these bytes. */
  static void quote(String bytes, StringBuilder out) {
    out.append('"');
    for (int i = 0; i < bytes.length(); i++) {
      char c = bytes.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < 32 || c > 126) {
        out.append("\\x")
            .append(Character.forDigit(c >> 4, 16))
            .append(Character.forDigit(c & 15, 16));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }

  static String lower(String bytes) {
    StringBuilder out = new StringBuilder(bytes);
    for (int i = 0; i < out.length(); i++) {
      char c = out.charAt(i);
      if (c >= 'A' && c <= 'Z') {
        out.setCharAt(i, (char) (c + 32));
      }
    }
    return out.toString();
  }

  static String upper(String bytes) {
    StringBuilder out = new StringBuilder(bytes);
    for (int i = 0; i < out.length(); i++) {
      char c = out.charAt(i);
      if (c >= 'a' && c <= 'z') {
        out.setCharAt(i, (char) (c - 32));
      }
    }
    return out.toString();
  }
}
