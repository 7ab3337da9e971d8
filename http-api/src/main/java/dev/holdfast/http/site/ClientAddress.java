package dev.holdfast.http.site;

import dev.holdfast.http.expression.FilterExpression;
import dev.holdfast.http.expression.FilterRequest;
import dev.holdfast.http.expression.FilterSyntaxException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the address of a client behind trusted proxies. Immutable. */
final class ClientAddress {

  /** Null if no proxy is trusted. */
  private final @Nullable FilterExpression trusted;

  /**
   * Compiles the networks.
   *
   * @throws IllegalArgumentException if one is no network
   */
  ClientAddress(List<String> networks) {
    try {
      trusted =
          networks.isEmpty()
              ? null
              : FilterExpression.parse("ip.src in {" + String.join(" ", networks) + "}");
    } catch (FilterSyntaxException e) {
      throw new IllegalArgumentException("not a list of networks: " + networks, e);
    }
  }

  /**
   * {@return the address of the client: that of the connection, or, behind trusted proxies, the
   * last address of {@code X-Forwarded-For} that is not one of them}
   *
   * @param peer the address of the connection
   * @param forwardedFor the values of the header {@code X-Forwarded-For}, in order
   */
  String of(String peer, List<String> forwardedFor) {
    String client = bare(peer);
    if (trusted == null) {
      return client;
    }
    List<String> hops = List.of(String.join(",", forwardedFor).split(",", -1));
    for (int i = hops.size() - 1; i >= 0 && isTrusted(client); i--) {
      String hop = hops.get(i).strip();
      if (!isAddress(hop)) {
        break;
      }
      client = hop;
    }
    return client;
  }

  /** {@return whether a connection from an address is from a trusted proxy} */
  boolean isTrusted(String peer) {
    return trusted != null && trusted.matches(FilterRequest.EMPTY.with("ip.src", bare(peer)));
  }

  /** An address of IPv6 may name the interface of this host; Jetty writes it in brackets. */
  static String bare(String peer) {
    String address = peer.replace("[", "").replace("]", "");
    int end = address.indexOf('%');
    return end < 0 ? address : address.substring(0, end);
  }

  private static boolean isAddress(String text) {
    try {
      return !text.isEmpty() && FilterRequest.EMPTY.with("ip.src", text) != FilterRequest.EMPTY;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
