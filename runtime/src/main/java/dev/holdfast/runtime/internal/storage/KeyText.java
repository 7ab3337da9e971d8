package dev.holdfast.runtime.internal.storage;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Encodes keys as UTF-8, with a lone surrogate as the three bytes of its code point. A Java string
 * can hold one, but UTF-8 cannot express it, and a replacement character would make two keys equal.
 * The reference stores the same bytes.
 */
public final class KeyText {

  private static final int FIRST_OF_SURROGATES = 0xED;
  private static final int SECOND_OF_SURROGATES_MIN = 0xA0;
  private static final int SURROGATE_BYTES = 3;
  private static final int PAYLOAD_BITS = 6;
  private static final int PAYLOAD = 0x3F;
  private static final int CONTINUATION = 0x80;

  private KeyText() {}

  /** {@return whether bytes belong to a key, so that the key is found by its text} */
  public static boolean isKey(byte[] bytes) {
    return Arrays.equals(encode(decode(bytes)), bytes);
  }

  static byte[] encode(String key) {
    int lone = loneSurrogate(key, 0);
    if (lone < 0) {
      return key.getBytes(StandardCharsets.UTF_8);
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(key.length() + (2 * SURROGATE_BYTES));
    int from = 0;
    while (lone >= 0) {
      bytes.writeBytes(key.substring(from, lone).getBytes(StandardCharsets.UTF_8));
      char surrogate = key.charAt(lone);
      bytes.write(FIRST_OF_SURROGATES);
      bytes.write(CONTINUATION | ((surrogate >> PAYLOAD_BITS) & PAYLOAD));
      bytes.write(CONTINUATION | (surrogate & PAYLOAD));
      from = lone + 1;
      lone = loneSurrogate(key, from);
    }
    bytes.writeBytes(key.substring(from).getBytes(StandardCharsets.UTF_8));
    return bytes.toByteArray();
  }

  /** {@return the key of some bytes; bytes of a foreign file that no key can have are replaced} */
  static String decode(byte[] bytes) {
    int at = encodedSurrogate(bytes, 0);
    if (at < 0) {
      return new String(bytes, StandardCharsets.UTF_8);
    }
    StringBuilder key = new StringBuilder(bytes.length);
    int from = 0;
    while (at >= 0) {
      key.append(new String(bytes, from, at - from, StandardCharsets.UTF_8));
      key.append(
          (char)
              ((FIRST_OF_SURROGATES << (2 * PAYLOAD_BITS))
                  | ((bytes[at + 1] & PAYLOAD) << PAYLOAD_BITS)
                  | (bytes[at + 2] & PAYLOAD)));
      from = at + SURROGATE_BYTES;
      at = encodedSurrogate(bytes, from);
    }
    return key.append(new String(bytes, from, bytes.length - from, StandardCharsets.UTF_8))
        .toString();
  }

  /** {@return the index of the first lone surrogate; -1 if there is none} */
  static int loneSurrogate(String text, int from) {
    for (int i = from; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i))) {
        if (i + 1 == text.length()
            || !Character.isSurrogatePair(text.charAt(i), text.charAt(i + 1))) {
          return i;
        }
        i++;
      }
    }
    return -1;
  }

  private static int encodedSurrogate(byte[] bytes, int from) {
    for (int i = from; i + 2 < bytes.length; i++) {
      if (Byte.toUnsignedInt(bytes[i]) == FIRST_OF_SURROGATES
          && Byte.toUnsignedInt(bytes[i + 1]) >= SECOND_OF_SURROGATES_MIN
          && Byte.toUnsignedInt(bytes[i + 1]) <= (CONTINUATION | PAYLOAD)
          && (bytes[i + 2] & ~PAYLOAD) == (byte) CONTINUATION) {
        return i;
      }
    }
    return -1;
  }
}
