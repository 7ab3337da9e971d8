package dev.holdfast.clone.codec.bytes;

import java.nio.charset.StandardCharsets;

/**
 * UTF-8 as the reference reads it: each maximal part of a broken sequence becomes one U+FFFD. The
 * JDK's decoder does the same except for encoded surrogates: it produces one U+FFFD where the
 * reference produces three.
 */
final class Utf8 {

  private static final char REPLACEMENT = '\uFFFD';

  static String decode(byte[] bytes, int offset, int length) {
    for (int i = offset; i < offset + length; i++) {
      if (bytes[i] < 0) {
        return decodeMultiByte(bytes, offset, length);
      }
    }
    return new String(bytes, offset, length, StandardCharsets.US_ASCII);
  }

  private static String decodeMultiByte(byte[] bytes, int offset, int length) {
    StringBuilder text = new StringBuilder(length);
    int end = offset + length;
    int at = offset;
    while (at < end) {
      int lead = bytes[at++] & 0xFF;
      if (lead < 0x80) {
        text.append((char) lead);
        continue;
      }
      int trailing = trailingBytes(lead);
      int codePoint = lead & (0x3F >> trailing);
      int lowest = lowestSecond(lead);
      int highest = highestSecond(lead);
      int left = trailing;
      while (left > 0 && at < end) {
        int next = bytes[at] & 0xFF;
        if (next < lowest || next > highest) {
          break;
        }
        codePoint = (codePoint << 6) | (next & 0x3F);
        lowest = 0x80;
        highest = 0xBF;
        at++;
        left--;
      }
      if (trailing == 0 || left > 0) {
        text.append(REPLACEMENT);
      } else {
        text.appendCodePoint(codePoint);
      }
    }
    return text.toString();
  }

  /** Returns how many bytes follow a lead byte; 0 for a byte that is not a lead byte. */
  private static int trailingBytes(int lead) {
    if (lead < 0xC2 || lead > 0xF4) {
      return 0;
    }
    return lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
  }

  private static int lowestSecond(int lead) {
    // Lower values would encode a character that has a shorter form.
    return lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  }

  private static int highestSecond(int lead) {
    // Higher values would encode a surrogate, or a character above U+10FFFF.
    return lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  }

  private Utf8() {}
}
