package dev.holdfast.http.expression;

import java.math.BigInteger;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** Functions that read and write encodings, and that check signatures. */
final class CodecFunctions {

  private static final int TIMESTAMP_DIGITS = 10;

  /** A signature in Base64 without padding. */
  private static final int SIGNATURE_LENGTH_MIN = 43;

  private CodecFunctions() {}

  static @Nullable Object jsonString(Object[] a) {
    return lookup(a) instanceof String found ? Bytes.ofText(found) : null;
  }

  static @Nullable Object jsonInteger(Object[] a) {
    return lookup(a) instanceof Long found ? found : null;
  }

  /** Text that is not JSON has no members. */
  private static @Nullable Object lookup(Object[] a) {
    @Nullable Object found = JsonText.read(Bytes.toText((String) a[0]));
    for (int i = 1; i < a.length; i++) {
      found = member(found, a[i]);
    }
    return found;
  }

  private static @Nullable Object member(@Nullable Object value, Object key) {
    return switch (value) {
      case Map<?, ?> object when key instanceof String name -> object.get(Bytes.toText(name));
      case List<?> array when key instanceof Long index ->
          index >= 0 && index < array.size() ? array.get(index.intValue()) : null;
      case null, default -> null;
    };
  }

  static @Nullable Object decodeBase64(Object[] a) {
    try {
      return Bytes.ofArray(Base64.getDecoder().decode(Bytes.toArray((String) a[0])));
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** Options: {@code u} for the URL alphabet, {@code p} for padding. */
  static Object encodeBase64(Object[] a) {
    String options = a.length > 1 ? (String) a[1] : "";
    Base64.Encoder encoder = options.contains("u") ? Base64.getUrlEncoder() : Base64.getEncoder();
    byte[] bytes = Bytes.toArray((String) a[0]);
    return (options.contains("p") ? encoder : encoder.withoutPadding()).encodeToString(bytes);
  }

  static Object sha256(Object[] a) {
    try {
      return Bytes.ofArray(
          MessageDigest.getInstance("SHA-256").digest(Bytes.toArray((String) a[0])));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** A UUID of version 4 from the first 16 bytes of random data. */
  static @Nullable Object uuid(Object[] a) {
    byte[] bytes = Bytes.toArray((String) a[0]);
    if (bytes.length < 16) {
      return null;
    }
    bytes[6] = (byte) ((bytes[6] & 0x0F) | 0x40);
    bytes[8] = (byte) ((bytes[8] & 0x3F) | 0x80);
    String hex = HexFormat.of().formatHex(bytes, 0, 16);
    return String.join(
        "-",
        hex.substring(0, 8),
        hex.substring(8, 12),
        hex.substring(12, 16),
        hex.substring(16, 20),
        hex.substring(20));
  }

  static @Nullable Object bitSlice(Object[] a) {
    byte[] bytes = Bytes.toArray((String) a[0]);
    long from = (Long) a[1];
    long length = (Long) a[2];
    if (from < 0 || length < 1 || length > 63 || from > bytes.length * 8L - length) {
      return null;
    }
    BigInteger bits =
        new BigInteger(1, bytes).shiftRight((int) (bytes.length * 8L - from - length));
    return bits.and(BigInteger.ONE.shiftLeft((int) length).subtract(BigInteger.ONE)).longValue();
  }

  /**
   * Whether {@code message separator timestamp "-" base64(HMAC-SHA256(key, message timestamp))} is
   * genuine and younger than its lifetime. Arguments: key, the whole text, lifetime in seconds,
   * now, length of the separator, {@code "s"} if the signature has the URL alphabet and is not
   * percent-encoded.
   */
  static Object isTimedHmacValid(Object[] a) {
    String whole = (String) a[1];
    int separatorLength = a.length > 4 ? Math.clamp((Long) a[4], 0, 64) : 0;
    boolean isPlain = a.length > 5 && a[5].equals("s");
    // Neither a hyphen of the message nor one of the signature, which the URL alphabet has.
    int dash = whole.lastIndexOf('-', whole.length() - SIGNATURE_LENGTH_MIN - 1);
    while (dash >= 0 && !isTimestampBefore(whole, dash)) {
      dash = whole.lastIndexOf('-', dash - 1);
    }
    int stamp = dash - TIMESTAMP_DIGITS;
    if (dash < 0 || stamp < separatorLength) {
      return false;
    }
    String timestamp = whole.substring(stamp, dash);
    String message = whole.substring(0, stamp - separatorLength);
    long issued = Long.parseLong(timestamp);
    long now = (Long) a[3];
    if (issued > now || now - issued > (Long) a[2]) {
      return false;
    }
    try {
      String encoded = whole.substring(dash + 1);
      byte[] signature =
          isPlain
              ? Base64.getUrlDecoder().decode(encoded)
              : Base64.getDecoder()
                  .decode(URLDecoder.decode(encoded.replace("+", "%2B"), StandardCharsets.UTF_8));
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(Bytes.toArray((String) a[0]), "HmacSHA256"));
      return MessageDigest.isEqual(mac.doFinal(Bytes.toArray(message + timestamp)), signature);
    } catch (IllegalArgumentException e) {
      // Not base64, or an empty key: not genuine.
      return false;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has HmacSHA256", e);
    }
  }

  private static boolean isTimestampBefore(String text, int dash) {
    return dash >= TIMESTAMP_DIGITS
        && text.substring(dash - TIMESTAMP_DIGITS, dash)
            .chars()
            .allMatch(c -> c >= '0' && c <= '9');
  }
}
