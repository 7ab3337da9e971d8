package dev.holdfast.http.site;

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
    new ClientAddress(trustedProxies);
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
}
