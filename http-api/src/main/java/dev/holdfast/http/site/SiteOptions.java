package dev.holdfast.http.site;

import dev.holdfast.http.firewall.Decision;
import dev.holdfast.http.internal.request.ClientAddress;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The options of a site behind the firewall. Immutable; change with the {@code with} methods.
 *
 * @param challenge poses challenges
 * @param trustedProxies networks such as {@code 10.0.0.0/8} of proxies in front of this host, whose
 *     headers {@code X-Forwarded-For} and {@code X-Forwarded-Proto} are believed
 * @param decisions receives each decision with a rule that matched, on the thread of the request
 * @param bodyBytesMax the length of the beginning of a body that rules and managed rulesets see, in
 *     bytes: it is read before the decision, and kept in memory until then; a longer body is cut
 *     for them, and a field says so, and one with a coding such as gzip is refused if it is longer
 *     when it is decoded
 * @param escapedSlashes whether paths with {@code %2F} or {@code %5C} pass; some sites decode them
 *     to separators, which rules do not see
 */
public record SiteOptions(
    Challenge challenge,
    List<String> trustedProxies,
    Consumer<Decision> decisions,
    int bodyBytesMax,
    boolean escapedSlashes) {

  /** The largest value of {@link #bodyBytesMax}: each visitor can make the host keep as much. */
  public static final int BODY_BYTES_LIMIT = 1 << 20;

  static final Map<String, String> PLAIN_TEXT = Map.of("Content-Type", "text/plain;charset=utf-8");

  /**
   * Challenges are answered with the status 403, no proxy is trusted, no decision is reported,
   * rules see 128 KiB of a body, and paths with escaped slashes are refused.
   */
  public static final SiteOptions DEFAULT =
      new SiteOptions(Challenge.REFUSE, List.of(), decision -> {}, 128 * 1_024, false);

  /**
   * Checks the networks and the length.
   *
   * @throws IllegalArgumentException if one of the proxies is not a network, or the length is not
   *     from 1 to {@link #BODY_BYTES_LIMIT}
   */
  public SiteOptions {
    if (bodyBytesMax < 1 || bodyBytesMax > BODY_BYTES_LIMIT) {
      throw new IllegalArgumentException(
          "bodyBytesMax is from 1 to " + BODY_BYTES_LIMIT + ": " + bodyBytesMax);
    }
    trustedProxies = List.copyOf(trustedProxies);
    new ClientAddress(trustedProxies);
  }

  /**
   * {@return these options with another way to challenge}
   *
   * @param other poses challenges
   */
  public SiteOptions withChallenge(Challenge other) {
    return new SiteOptions(other, trustedProxies, decisions, bodyBytesMax, escapedSlashes);
  }

  /**
   * {@return these options with other trusted proxies}
   *
   * @param networks their addresses or networks, such as {@code 10.0.0.0/8}
   * @throws IllegalArgumentException if one of them is not a network
   */
  public SiteOptions withTrustedProxies(List<String> networks) {
    return new SiteOptions(challenge, networks, decisions, bodyBytesMax, escapedSlashes);
  }

  /**
   * {@return these options with a receiver of decisions}
   *
   * @param receiver receives each decision with a rule that matched; thread-safe
   */
  public SiteOptions withDecisions(Consumer<Decision> receiver) {
    return new SiteOptions(challenge, trustedProxies, receiver, bodyBytesMax, escapedSlashes);
  }

  /**
   * {@return these options with another length of bodies that rules see}
   *
   * @param bytesMax the length in bytes
   * @throws IllegalArgumentException if it is not from 1 to {@link #BODY_BYTES_LIMIT}
   */
  public SiteOptions withBodyBytesMax(int bytesMax) {
    return new SiteOptions(challenge, trustedProxies, decisions, bytesMax, escapedSlashes);
  }

  /**
   * {@return these options with paths that have escaped slashes, or without}
   *
   * @param pass whether they pass, as they are; for sites that read {@code %2F} as a part of a name
   */
  public SiteOptions withEscapedSlashes(boolean pass) {
    return new SiteOptions(challenge, trustedProxies, decisions, bodyBytesMax, pass);
  }
}
