package dev.holdfast.crash;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/** A short text for a value: equal for equal values, with the kind of the value. */
final class Digest {

  private Digest() {}

  /**
   * {@return the digest of a value}
   *
   * @param value a value of {@link StepPlan}, as written or as read back
   */
  static String of(Object value) {
    return switch (value) {
      case byte[] bytes -> "bytes:" + bytes.length + ":" + crc(bytes);
      case String text ->
          "text:" + text.length() + ":" + crc(text.getBytes(StandardCharsets.UTF_8));
      // A large integer that is read back without a type is a BigInteger.
      case Long number -> "integer:" + number;
      case BigInteger number -> "integer:" + number;
      case Boolean flag -> "boolean:" + flag;
      case List<?> list -> "list:" + list.stream().map(Digest::of).toList();
      case Map<?, ?> map -> "map:" + sorted(map);
      default -> "unexpected:" + value.getClass().getName();
    };
  }

  private static Map<String, String> sorted(Map<?, ?> map) {
    Map<String, String> digests = new TreeMap<>();
    map.forEach((key, value) -> digests.put(of(key), of(value)));
    return digests;
  }

  private static String crc(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return Long.toHexString(crc.getValue());
  }
}
