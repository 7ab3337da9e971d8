package dev.holdfast.http.internal.request;

import dev.holdfast.http.firewall.SiteRequest;
import dev.holdfast.http.firewall.SiteRequest.Refusal;
import dev.holdfast.http.firewall.Undecided;
import dev.holdfast.http.internal.request.BodyCoding.Decoded;
import dev.holdfast.http.url.RequestTarget;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;

/**
 * Reads received requests into the one form that rules judge and a site gets; a request without
 * that form is refused. Thread-safe.
 */
public final class ReceivedRequests {

  private static final Pattern SCHEME = Pattern.compile("^https?(?=://)");
  private static final Logger LOG = System.getLogger("dev.holdfast.http");
  private static final ByteBuffer NO_BODY = ByteBuffer.allocate(0);
  private static final String CODING = "content-encoding";

  private final ClientAddress clients;
  private final boolean escapedSlashes;
  private final Undecided undecided;
  private final AtomicBoolean isHopLogged = new AtomicBoolean();

  /**
   * A request with its body.
   *
   * @param request the request
   * @param isDecoded whether the body was decoded
   */
  public record Received(SiteRequest request, boolean isDecoded) {}

  /**
   * Creates a reader.
   *
   * @param trustedProxies networks of proxies whose headers are believed
   * @param escapedSlashes whether paths with escaped slashes pass
   * @param undecided what happens to a body that cannot be judged as the site gets it
   */
  public ReceivedRequests(
      List<String> trustedProxies, boolean escapedSlashes, Undecided undecided) {
    this.clients = new ClientAddress(trustedProxies);
    this.escapedSlashes = escapedSlashes;
    this.undecided = undecided;
  }

  /**
   * {@return whether a connection comes from a trusted proxy}
   *
   * @param peer the address of the connection
   */
  public boolean isTrusted(String peer) {
    return clients.isTrusted(peer);
  }

  /**
   * Reads a request without its body. Its client is the peer, or, behind trusted proxies, the last
   * address of {@code X-Forwarded-For} that is not one of them. Its scheme is the scheme of the
   * connection, or, behind a trusted proxy, the last value of {@code X-Forwarded-Proto} if it is
   * {@code http} or {@code https}.
   *
   * @param method the HTTP method as received
   * @param url the URL that the client named, with the scheme of the connection
   * @param headers the headers, by name in lower case
   * @param peer the address of the connection
   * @return the request, perhaps refused
   */
  public SiteRequest read(
      String method, String url, Map<String, List<String>> headers, String peer) {
    Optional<String> client = clients.of(peer, headers.getOrDefault("x-forwarded-for", List.of()));
    String seen =
        isTrusted(peer)
            ? withScheme(url, headers.getOrDefault("x-forwarded-proto", List.of()))
            : url;
    SiteRequest request = SiteRequest.of(method, seen, headers, client.orElse(peer));
    if (client.isEmpty()) {
      // Else all clients of the proxy would be one.
      LOG.log(
          isHopLogged.getAndSet(true) ? Level.DEBUG : Level.WARNING,
          "The trusted proxy {0} names a client that is not an address: {1}",
          peer,
          headers.get("x-forwarded-for"));
      return request.refused(new Refusal(400, "The address of the client cannot be read."));
    }
    if (url.indexOf('#') >= 0) {
      // A target has no fragment: what a container takes for more of the target, rules do not see.
      return request.refused(new Refusal(400, "This address has a fragment."));
    }
    return escapedSlashes ? request : withoutEscapedSlashes(request);
  }

  /** Some sites decode them: such a site would serve another path than rules have judged. */
  static SiteRequest withoutEscapedSlashes(SiteRequest request) {
    return request.target().map(RequestTarget::hasEscapedSlash).orElse(false)
        ? request.refused(new Refusal(400, "This address has escaped slashes."))
        : request;
  }

  /** Only the last value is the proxy's: the client may have sent those before. */
  private static String withScheme(String url, List<String> forwardedProto) {
    String all = String.join(",", forwardedProto).toLowerCase(Locale.ROOT);
    String last = all.substring(all.lastIndexOf(',') + 1).strip();
    return last.equals("http") || last.equals("https")
        ? SCHEME.matcher(url).replaceFirst(last)
        : url;
  }

  /**
   * Gives a request its body. One with the coding {@code gzip} or {@code deflate} is decoded once,
   * for the rules and for the site.
   *
   * @param request the request
   * @param body the body, or its beginning
   * @param isCut whether the body is longer
   * @param bytesMax the longest body that is decoded
   * @return the request with its body; refused if the coding is malformed or unknown, or if the
   *     decoded body is too long
   */
  public Received withBody(SiteRequest request, ByteBuffer body, boolean isCut, int bytesMax) {
    List<String> codings = request.header(CODING);
    if (codings.isEmpty() || !(body.hasRemaining() || isCut)) {
      return new Received(request.withBody(body, isCut), false);
    }
    Optional<Decoded> decoded;
    try {
      decoded = BodyCoding.decode(codings.getFirst(), body, isCut, bytesMax);
    } catch (IOException e) {
      return refused(request, 400, "The coding of the body is malformed.");
    }
    if (decoded.isPresent() && !decoded.get().isCoded()) {
      return new Received(request.withBody(body, isCut), false);
    }
    if (decoded.isPresent() && !decoded.get().isCut()) {
      return new Received(request.withDecodedBody(decoded.get().bytes()), true);
    }
    // The site would read other bytes than rules: what it decodes, or what it does not decode.
    if (undecided == Undecided.BLOCK) {
      return decoded.isPresent()
          ? refused(request, 413, "The body is too long to be decoded.")
          : refused(request, 415, "The coding of the body is unknown.");
    }
    LOG.log(
        undecided == Undecided.LOG ? Level.INFO : Level.DEBUG,
        "A body with the coding {0} was not judged as the site gets it",
        codings.getFirst());
    ByteBuffer seen = decoded.map(Decoded::bytes).orElse(NO_BODY);
    return new Received(request.withBody(seen, true), false);
  }

  private static Received refused(SiteRequest request, int status, String reason) {
    return new Received(request.refused(new Refusal(status, reason)), false);
  }
}
