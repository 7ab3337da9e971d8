package dev.holdfast.http.url;

import java.net.Inet6Address;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Hosts of URLs: names in ASCII, and addresses in canonical form. */
final class UrlHost {

  private static final Pattern NAME = Pattern.compile("[a-z0-9_.-]{1,255}");
  private static final Pattern NUMBER = Pattern.compile("[0-9]+|0x[0-9a-f]*");
  private static final Pattern IPV6 = Pattern.compile("[0-9A-Fa-f:.]{2,45}");

  private UrlHost() {}

  /** {@return a host in canonical form, or null if the text is not a host} */
  static @Nullable String parse(String text) {
    if (text.startsWith("[")) {
      return text.endsWith("]") ? ipv6(text.substring(1, text.length() - 1)) : null;
    }
    String name;
    try {
      name = DomainToAscii.convert(text.indexOf('%') < 0 ? text : decoded(text));
    } catch (CharacterCodingException e) {
      return null;
    }
    if (name == null || !NAME.matcher(name).matches()) {
      return null;
    }
    String last = lastLabel(name);
    return NUMBER.matcher(last).matches() ? ipv4(name) : name;
  }

  private static String decoded(String text) throws CharacterCodingException {
    return StandardCharsets.UTF_8
        .newDecoder()
        .decode(ByteBuffer.wrap(PercentEncoding.decode(text)))
        .toString();
  }

  private static String lastLabel(String name) {
    String whole = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
    return whole.substring(whole.lastIndexOf('.') + 1);
  }

  /**
   * Parses an address of one to four numbers, decimal, octal or hexadecimal; the last one covers
   * the remaining bytes.
   */
  private static @Nullable String ipv4(String name) {
    String whole = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
    String[] parts = whole.split("\\.", -1);
    if (parts.length > 4) {
      return null;
    }
    long address = 0;
    for (int i = 0; i < parts.length; i++) {
      long number = number(parts[i]);
      boolean isLast = i == parts.length - 1;
      long max = isLast ? (1L << (8 * (5 - parts.length))) - 1 : 255;
      if (number < 0 || number > max) {
        return null;
      }
      address += isLast ? number : number << (8 * (3 - i));
    }
    return (address >> 24)
        + "."
        + ((address >> 16) & 255)
        + "."
        + ((address >> 8) & 255)
        + "."
        + (address & 255);
  }

  /** {@return a number, or -1 if the text is not a number or is too large for an address} */
  private static long number(String text) {
    if (!NUMBER.matcher(text).matches()) {
      return -1;
    }
    boolean hexadecimal = text.startsWith("0x");
    boolean octal = !hexadecimal && text.length() > 1 && text.startsWith("0");
    String digits = hexadecimal ? text.substring(2) : text;
    String significant = digits.replaceFirst("^0+", "");
    if (significant.isEmpty()) {
      return 0;
    }
    if (significant.length() > 12) {
      return -1;
    }
    try {
      return Long.parseLong(significant, hexadecimal ? 16 : octal ? 8 : 10);
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  private static @Nullable String ipv6(String text) {
    if (!IPV6.matcher(text).matches()) {
      return null;
    }
    byte[] address;
    try {
      address = Inet6Address.ofLiteral(text).getAddress();
    } catch (IllegalArgumentException e) {
      return null;
    }
    ByteBuffer bytes = ByteBuffer.allocate(16);
    if (address.length == 4) {
      bytes.putInt(0).putInt(0).putInt(0xFFFF);
    }
    bytes.put(address).flip();
    List<String> pieces = new ArrayList<>(8);
    while (bytes.hasRemaining()) {
      pieces.add(Integer.toHexString(bytes.getShort() & 0xFFFF));
    }
    return "[" + compressed(pieces) + "]";
  }

  /** Omits the first of the longest runs of zeros, if it has two or more. */
  private static String compressed(List<String> pieces) {
    int from = 0;
    int to = 0;
    for (int i = 0; i < pieces.size(); i++) {
      int end = i;
      while (end < pieces.size() && pieces.get(end).equals("0")) {
        end++;
      }
      if (end - i > Math.max(1, to - from)) {
        from = i;
        to = end;
      }
    }
    return to == 0
        ? String.join(":", pieces)
        : String.join(":", pieces.subList(0, from))
            + "::"
            + String.join(":", pieces.subList(to, pieces.size()));
  }
}
