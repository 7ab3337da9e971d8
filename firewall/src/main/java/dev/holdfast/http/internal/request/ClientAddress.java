package dev.holdfast.http.internal.request;

import dev.holdfast.http.address.NetworkAddress;
import dev.holdfast.http.expression.FilterExpression;
import dev.holdfast.http.expression.FilterRequest;
import dev.holdfast.http.expression.FilterSyntaxException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds the address of a client behind trusted proxies. Immutable. */
public final class ClientAddress {

  /** Null if no proxy is trusted. */
  private final @Nullable FilterExpression trusted;

  /**
   * Compiles the networks.
   *
   * @param networks the networks of the trusted proxies
   * @throws IllegalArgumentException if one is no network
   */
  public ClientAddress(List<String> networks) {
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
   * last address of {@code X-Forwarded-For} that is not one of them; empty if a trusted proxy names
   * something that is no address}
   *
   * @param peer the address of the connection
   * @param forwardedFor the values of the header {@code X-Forwarded-For}, in order
   */
  public Optional<String> of(String peer, List<String> forwardedFor) {
    String client = bare(peer);
    List<String> hops = List.of(String.join(",", forwardedFor).split(",", -1));
    for (int i = hops.size() - 1; i >= 0 && isTrusted(client); i--) {
      String hop = hops.get(i).strip();
      if (!hop.isEmpty()) {
        @Nullable String address = NetworkAddress.canonical(hop);
        if (address == null) {
          return Optional.empty();
        }
        client = address;
      }
    }
    return Optional.of(client);
  }

  /**
   * {@return whether a connection from an address is from a trusted proxy}
   *
   * @param peer the address
   */
  public boolean isTrusted(String peer) {
    return trusted != null && trusted.matches(FilterRequest.EMPTY.with("ip.src", bare(peer)));
  }

  /**
   * {@return an address as rules know it} One of IPv6 may name the interface of this host; Jetty
   * writes it in brackets.
   *
   * @param peer the address of a connection
   */
  public static String bare(String peer) {
    return Objects.requireNonNullElse(NetworkAddress.canonical(peer), peer);
  }
}
