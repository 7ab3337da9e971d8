package dev.holdfast.http.server.fetch;

import java.net.Inet4Address;
import java.net.InetAddress;

/**
 * Determines whether an address is public, by the registries of special-purpose addresses of IPv4
 * and IPv6.
 */
final class PublicAddress {

  private PublicAddress() {}

  static boolean isPublic(InetAddress address) {
    if (address.isLoopbackAddress()
        || address.isAnyLocalAddress()
        || address.isLinkLocalAddress()
        || address.isSiteLocalAddress()
        || address.isMulticastAddress()) {
      return false;
    }
    byte[] bytes = address.getAddress();
    return address instanceof Inet4Address ? isPublic4(bytes) : isPublic6(bytes);
  }

  private static boolean isPublic4(byte[] bytes) {
    int first = bytes[0] & 255;
    int second = bytes[1] & 255;
    int third = bytes[2] & 255;
    return switch (first) {
      case 0 -> false;
      case 100 -> second < 64 || second > 127; // shared by customers of a provider
      case 192 ->
          !(second == 0 && (third == 0 || third == 2)) // protocols, documentation
              && !(second == 88 && third == 99); // relays into IPv6
      case 198 -> second != 18 && second != 19 && !(second == 51 && third == 100);
      case 203 -> !(second == 0 && third == 113);
      default -> first < 240;
    };
  }

  private static boolean isPublic6(byte[] bytes) {
    int first = (bytes[0] & 255) << 8 | (bytes[1] & 255);
    int second = (bytes[2] & 255) << 8 | (bytes[3] & 255);
    if ((first & 0xE000) != 0x2000) {
      // Only 2000::/3 is allocated. This also excludes addresses that embed an IPv4 address after a
      // fixed prefix: ::/96 and the prefixes of translators.
      return false;
    }
    boolean special = first == 0x2001 && second < 0x200; // Teredo and other protocols
    boolean documentation =
        (first == 0x2001 && second == 0xDB8) || (first == 0x3FFF && second < 0x1000);
    boolean embeds = first == 0x2002;
    return !special && !documentation && !embeds;
  }
}
