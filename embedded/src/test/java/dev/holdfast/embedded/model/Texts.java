package dev.holdfast.embedded.model;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Keys and values as short texts, for comparing and for reports. */
final class Texts {

  private Texts() {}

  static String of(Object value) {
    String text = String.valueOf(value);
    return text.length() <= 12 ? text : text.length() + "/" + text.hashCode();
  }

  static String of(String key, Object value) {
    return HexFormat.of().formatHex(key.getBytes(StandardCharsets.UTF_16BE)) + "=" + of(value);
  }
}
