package dev.holdfast.http.expression;

import dev.holdfast.http.url.WebUrl;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An address as a number. Addresses of the two families are never equal, less or greater. One of
 * version 4 that is written as one of version 6, such as {@code ::ffff:192.0.2.1}, is of version 4:
 * a server that listens on both families writes the same client in both ways.
 *
 * @param v6 its family
 * @param high the first 64 bits; 0 for version 4
 * @param low the last 64 bits; the last 32 for version 4
 */
record IpAddress(boolean v6, long high, long low) {

  private static final Pattern V4 =
      Pattern.compile(
          "(0|[1-9]\\d{0,2})\\.(0|[1-9]\\d{0,2})\\.(0|[1-9]\\d{0,2})\\.(0|[1-9]\\d{0,2})");

  /** Reads an address; null if the text is not an address. */
  static @Nullable IpAddress parse(String text) {
    var v4 = V4.matcher(text);
    if (v4.matches()) {
      long bits = 0;
      for (int i = 1; i <= 4; i++) {
        int part = Integer.parseInt(v4.group(i));
        if (part > 255) {
          return null;
        }
        bits = (bits << 8) | part;
      }
      return new IpAddress(false, 0, bits);
    }
    if (text.indexOf(':') < 0 || text.indexOf('%') >= 0 || text.indexOf('[') >= 0) {
      return null;
    }
    try {
      return of(InetAddress.ofLiteral(text).getAddress());
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** Java returns a mapped address as one of version 4. */
  private static IpAddress of(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return bytes.length == 16
        ? new IpAddress(true, buffer.getLong(), buffer.getLong())
        : new IpAddress(false, 0, Integer.toUnsignedLong(buffer.getInt()));
  }

  int bits() {
    return v6 ? 128 : 32;
  }

  /** The first address of the network with a prefix of this length. */
  IpAddress network(int prefix) {
    if (!v6) {
      return new IpAddress(false, 0, low & mask(prefix + 32));
    }
    return new IpAddress(true, high & mask(Math.min(prefix, 64)), low & mask(prefix - 64));
  }

  /** The last address of the network with a prefix of this length. */
  IpAddress broadcast(int prefix) {
    if (!v6) {
      return new IpAddress(false, 0, low | (~mask(prefix + 32) & 0xFFFF_FFFFL));
    }
    return new IpAddress(true, high | ~mask(Math.min(prefix, 64)), low | ~mask(prefix - 64));
  }

  private static long mask(int prefix) {
    return prefix <= 0 ? 0 : -1L << (64 - prefix);
  }

  /** Compares two addresses of one family. */
  int compare(IpAddress other) {
    int first = Long.compareUnsigned(high, other.high);
    return first != 0 ? first : Long.compareUnsigned(low, other.low);
  }

  @Override
  public String toString() {
    if (!v6) {
      return (low >> 24) + "." + ((low >> 16) & 255) + "." + ((low >> 8) & 255) + "." + (low & 255);
    }
    StringBuilder text = new StringBuilder();
    for (int group = 0; group < 8; group++) {
      long half = group < 4 ? high : low;
      text.append(group == 0 ? "" : ":");
      text.append(Long.toHexString((half >>> (48 - (group % 4) * 16)) & 0xFFFF));
    }
    String host = WebUrl.of("http://[" + text + "]/").host(); // in the form of RFC 5952
    return host.substring(1, host.length() - 1);
  }
}
