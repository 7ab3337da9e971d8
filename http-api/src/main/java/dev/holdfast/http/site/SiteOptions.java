package dev.holdfast.http.site;

import dev.holdfast.http.expression.FilterExpression;
import dev.holdfast.http.expression.FilterRequest;
import dev.holdfast.http.expression.FilterSyntaxException;
import dev.holdfast.http.firewall.Decision;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The options of a site behind the firewall. Immutable; change with the {@code with} methods.
 *
 * @param challenge poses challenges
 * @param trustedProxies networks such as {@code 10.0.0.0/8} of proxies in front of this host, whose
 *     header {@code X-Forwarded-For} is believed
 * @param decisions receives each decision with a rule that matched, on the thread of the request
 */
public record SiteOptions(
    Challenge challenge, List<String> trustedProxies, Consumer<Decision> decisions) {

  static final Map<String, String> PLAIN_TEXT = Map.of("Content-Type", "text/plain;charset=utf-8");

  /** Challenges are answered with the status 403, no proxy is trusted, no decision is reported. */
  public static final SiteOptions DEFAULT =
      new SiteOptions(Challenge.REFUSE, List.of(), decision -> {});

  /**
   * Checks the networks.
   *
   * @throws IllegalArgumentException if one of the proxies is not a network
   */
  public SiteOptions {
    trustedProxies = List.copyOf(trustedProxies);
    expression(trustedProxies);
  }

  /**
   * {@return these options with another way to challenge}
   *
   * @param other poses challenges
   */
  public SiteOptions withChallenge(Challenge other) {
    return new SiteOptions(other, trustedProxies, decisions);
  }

  /**
   * {@return these options with other trusted proxies}
   *
   * @param networks their addresses or networks, such as {@code 10.0.0.0/8}
   * @throws IllegalArgumentException if one of them is not a network
   */
  public SiteOptions withTrustedProxies(List<String> networks) {
    return new SiteOptions(challenge, networks, decisions);
  }

  /**
   * {@return these options with a receiver of decisions}
   *
   * @param receiver receives each decision with a rule that matched; thread-safe
   */
  public SiteOptions withDecisions(Consumer<Decision> receiver) {
    return new SiteOptions(challenge, trustedProxies, receiver);
  }

  private static FilterExpression expression(List<String> networks) {
    try {
      return FilterExpression.parse(
          networks.isEmpty() ? "false" : "ip.src in {" + String.join(" ", networks) + "}");
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
  String client(String peer, List<String> forwardedFor) {
    // An address of IPv6 may name the interface of this host.
    String client = peer.split("%", 2)[0];
    if (trustedProxies.isEmpty()) {
      return client;
    }
    FilterExpression trusted = expression(trustedProxies);
    List<String> hops = List.of(String.join(",", forwardedFor).split(",", -1));
    for (int i = hops.size() - 1; i >= 0 && isIn(trusted, client); i--) {
      String hop = hops.get(i).strip();
      if (!isAddress(hop)) {
        break;
      }
      client = hop;
    }
    return client;
  }

  /** {@return whether the connection is from a trusted proxy} */
  boolean isTrusted(String peer) {
    return !trustedProxies.isEmpty() && isIn(expression(trustedProxies), peer.split("%", 2)[0]);
  }

  private static boolean isIn(FilterExpression networks, String address) {
    return networks.matches(FilterRequest.EMPTY.with("ip.src", address));
  }

  private static boolean isAddress(String text) {
    try {
      return !text.isEmpty() && FilterRequest.EMPTY.with("ip.src", text) != FilterRequest.EMPTY;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
