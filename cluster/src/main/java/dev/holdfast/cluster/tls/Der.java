package dev.holdfast.cluster.tls;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** The parts of DER, the encoding of X.690, that a certificate needs. Stateless. */
final class Der {

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'", Locale.ROOT);

  /** From this year on, a certificate has its times with four digits of the year. */
  private static final int LONG_YEARS_FROM = 2050;

  private static final int YEAR_MAX = 9999;

  private Der() {}

  private static byte[] tagged(int tag, byte[]... contents) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (byte[] each : contents) {
      content.writeBytes(each);
    }
    int length = content.size();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(tag);
    if (length < 0x80) {
      out.write(length);
    } else if (length <= 0xFF) {
      out.write(0x81);
      out.write(length);
    } else {
      assert length <= 0xFFFF;
      out.write(0x82);
      out.write(length >>> 8);
      out.write(length);
    }
    out.writeBytes(content.toByteArray());
    return out.toByteArray();
  }

  static byte[] sequence(byte[]... contents) {
    return tagged(0x30, contents);
  }

  static byte[] set(byte[]... contents) {
    return tagged(0x31, contents);
  }

  /** A field that is marked by a number, with contents of any kind. */
  static byte[] marked(int number, byte[]... contents) {
    return tagged(0xA0 | number, contents);
  }

  /** A field whose own tag is replaced by a number. */
  static byte[] implicit(int number, byte[] content) {
    return tagged(0x80 | number, content);
  }

  static byte[] booleanTrue() {
    return tagged(0x01, new byte[] {(byte) 0xFF});
  }

  static byte[] integer(byte[] twosComplement) {
    return tagged(0x02, twosComplement);
  }

  static byte[] bits(int unusedBits, byte[] content) {
    return tagged(0x03, new byte[] {(byte) unusedBits}, content);
  }

  static byte[] octets(byte[] content) {
    return tagged(0x04, content);
  }

  static byte[] text(String text) {
    return tagged(0x0C, text.getBytes(StandardCharsets.UTF_8));
  }

  static byte[] time(Instant time) {
    ZonedDateTime utc = time.atZone(ZoneOffset.UTC);
    if (utc.getYear() > YEAR_MAX) {
      throw new IllegalArgumentException(
          "A certificate has no time after the year " + YEAR_MAX + "; got " + time);
    }
    String digits = TIME.format(utc);
    return utc.getYear() < LONG_YEARS_FROM
        ? tagged(0x17, digits.substring(2).getBytes(StandardCharsets.US_ASCII))
        : tagged(0x18, digits.getBytes(StandardCharsets.US_ASCII));
  }

  /** An object identifier, such as {@code 2.5.4.3}. */
  static byte[] identifier(String dotted) {
    String[] parts = dotted.split("\\.", -1);
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    content.write(Integer.parseInt(parts[0]) * 40 + Integer.parseInt(parts[1]));
    for (int i = 2; i < parts.length; i++) {
      int part = Integer.parseInt(parts[i]);
      for (int shift = 28; shift > 0; shift -= 7) {
        if (part >>> shift != 0) {
          content.write(0x80 | ((part >>> shift) & 0x7F));
        }
      }
      content.write(part & 0x7F);
    }
    return tagged(0x06, content.toByteArray());
  }
}
