package dev.holdfast.http.server.fetch;

import dev.holdfast.http.expression.FilterExpression;
import dev.holdfast.http.expression.FilterRequest;
import dev.holdfast.http.expression.FilterSyntaxException;
import java.net.InetAddress;

/**
 * Determines whether an address is public, by the registries of special-purpose addresses of IPv4
 * and IPv6. The others at which clouds serve the secrets of a machine (169.254.169.254,
 * 100.100.100.200, 192.0.0.192, fd00:ec2::254) are in these registries; one is not, 168.63.129.16.
 */
final class PublicAddress {

  private static final FilterExpression SPECIAL =
      networks(
          """
          0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
          192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24
          224.0.0.0/3 168.63.129.16/32 2001::/23 2001:db8::/32 2002::/16 3fff::/20
          """
              // Only 2000::/3 is allocated. This also excludes addresses that embed an IPv4 address
              // after a fixed prefix: ::/96 and the prefixes of translators.
              + "::/3 4000::/2 8000::/1");

  private PublicAddress() {}

  private static FilterExpression networks(String all) {
    try {
      return FilterExpression.parse("ip.src in {" + all + "}");
    } catch (FilterSyntaxException e) {
      throw new IllegalStateException("not a list of networks: " + all, e);
    }
  }

  static boolean isPublic(InetAddress address) {
    // Without the interface of this host that an address of IPv6 may name.
    String text = address.getHostAddress().split("%", 2)[0];
    return !SPECIAL.matches(FilterRequest.EMPTY.with("ip.src", text));
  }
}
