package dev.holdfast.http.site;

import dev.holdfast.HoldfastException;
import dev.holdfast.http.ApiRequest;
import dev.holdfast.http.ApiResponse;
import dev.holdfast.http.Firewall;
import dev.holdfast.http.Header;
import dev.holdfast.http.HttpApi;
import dev.holdfast.http.firewall.Decision;
import dev.holdfast.http.firewall.FirewallAction;
import dev.holdfast.http.firewall.SiteRequest;
import dev.holdfast.http.firewall.SiteRequest.Refusal;
import dev.holdfast.http.internal.request.ClientAddress;
import dev.holdfast.http.internal.request.ReceivedRequests;
import dev.holdfast.http.internal.request.ReceivedRequests.Received;
import dev.holdfast.http.service.monitor.Reporting;
import dev.holdfast.http.url.RequestTarget;
import dev.holdfast.http.url.WebUrl;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The firewall and the page monitor in front of a site, independent of the server that receives its
 * requests: for an adapter to a server that has none here. For each request, an adapter reads as
 * much of the body as {@link #bodyBytes} says, adds it with {@link #withBody}, sends the answer of
 * {@link #answer} if there is one, and otherwise adds {@link #headers} to the answer of the site.
 * Thread-safe.
 */
public final class SiteGuard implements AutoCloseable {

  private static final Logger LOG = System.getLogger("dev.holdfast.http");
  private static final ByteBuffer NO_BODY = ByteBuffer.allocate(0);

  private final HttpApi api;
  private final Firewall firewall;
  private final SiteOptions options;
  private final ReceivedRequests requests;

  /**
   * Creates a guard.
   *
   * @param api the API whose zones decide
   * @param options the options
   */
  public SiteGuard(HttpApi api, SiteOptions options) {
    this.api = api;
    this.firewall = api.firewall();
    this.options = options;
    this.requests =
        new ReceivedRequests(
            options.trustedProxies(), options.escapedSlashes(), firewall.undecided());
  }

  /**
   * {@return whether a connection is that of a trusted proxy}
   *
   * @param peer the address of the connection
   */
  public boolean isTrusted(String peer) {
    return requests.isTrusted(peer);
  }

  /**
   * {@return the address of a connection as headers and rules have it: without the brackets and the
   * interface that a server may add to one of IPv6}
   *
   * @param peer the address as the server writes it
   */
  public static String address(String peer) {
    return ClientAddress.bare(peer);
  }

  /**
   * Returns the text of a header. Servers have a byte in each character; the text is UTF-8. Bytes
   * that are not UTF-8 stay single characters: they hide no text beside them from a rule.
   *
   * @param value the value as the server has it; call this once
   * @return the text, as rules judge it; a value with other characters than bytes as it is
   */
  public static String headerText(String value) {
    if (value.chars().allMatch(c -> c < 128) || value.chars().anyMatch(c -> c > 255)) {
      return value;
    }
    ByteBuffer bytes = ByteBuffer.wrap(value.getBytes(StandardCharsets.ISO_8859_1));
    CharBuffer text = CharBuffer.allocate(bytes.remaining());
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    CoderResult result = decoder.decode(bytes, text, true);
    while (result.isError()) {
      for (int i = 0; i < result.length(); i++) {
        text.put((char) (bytes.get() & 255));
      }
      result = decoder.decode(bytes, text, true);
    }
    return text.flip().toString();
  }

  /**
   * A request, and what its URL says.
   *
   * @param request the request
   * @param url its URL; empty if it cannot be read
   * @param zone the zone of its host; empty if there is none
   * @param isDecoded whether the body was decoded: the site gets the body of the request, which is
   *     whole, instead of the received one, without the header {@code Content-Encoding}
   */
  public record Asked(
      SiteRequest request, Optional<WebUrl> url, Optional<String> zone, boolean isDecoded) {

    /**
     * {@return this request with the version of HTTP with which it came, for rules}
     *
     * @param protocol the version as a server writes it, such as {@code HTTP/1.1}
     */
    public Asked withVersion(String protocol) {
      return new Asked(request.withVersion(protocol), url, zone, isDecoded);
    }

    boolean isReport() {
      return request.refusal().isEmpty()
          && request.target().orElseThrow().path().equals(Reporting.PATH);
    }
  }

  /**
   * Makes the canonical form of a request. Its client is the peer, or, behind trusted proxies, the
   * last address of {@code X-Forwarded-For} that is not one of them. Its scheme is that of the
   * connection, or, behind a trusted proxy, the last value of {@code X-Forwarded-Proto} if it is
   * {@code http} or {@code https}. A request that has no canonical form is refused, which {@link
   * #answer} answers.
   *
   * @param method the HTTP method as received
   * @param url the URL that the client named, with the scheme of the connection
   * @param headers the headers, by name in lower case
   * @param peer the address of the connection
   * @return the request with its zone; pass it on to the site in this form
   * @throws HoldfastException if the list of zones has changed and cannot be read
   */
  public Asked asked(String method, String url, Map<String, List<String>> headers, String peer) {
    SiteRequest request = requests.read(method, url, headers, peer);
    Optional<WebUrl> parsed = request.webUrl();
    return new Asked(
        request, parsed, parsed.flatMap(known -> firewall.zoneOf(known.host())), false);
  }

  /**
   * Returns how much of the body to read first: nothing, the beginning for the firewall, or a whole
   * report.
   *
   * @param asked the request
   * @return the maximum number of bytes
   * @throws HoldfastException if the zone has changed and cannot be read
   */
  public int bodyBytes(Asked asked) {
    if (asked.request().refusal().isPresent()) {
      return 0;
    }
    if (asked.isReport()) {
      return Reporting.BODY_BYTES_MAX;
    }
    return asked.zone().isPresent() && firewall.readsBody(asked.zone().get())
        ? options.bodyBytesMax()
        : 0;
  }

  /**
   * Gives a request its body. One with the coding {@code gzip} or {@code deflate} is decoded once,
   * for the rules and for the site: pass it on as {@link Asked#isDecoded} says.
   *
   * @param asked the request
   * @param body as much of the body as {@link #bodyBytes} says
   * @param isCut whether the body is longer
   * @return the request with its body; refused if the coding is malformed or unknown, or if the
   *     decoded body is longer than {@link SiteOptions#bodyBytesMax}
   */
  public Asked withBody(Asked asked, ByteBuffer body, boolean isCut) {
    int bytesMax = asked.isReport() ? Reporting.BODY_BYTES_MAX : options.bodyBytesMax();
    Received received = requests.withBody(asked.request(), body, isCut, bytesMax);
    return new Asked(received.request(), asked.url(), asked.zone(), received.isDecoded());
  }

  /**
   * Decides on a request.
   *
   * @param asked the request, with the beginning of its body if it was asked for
   * @return the answer to a request that does not reach the site; empty if it does
   * @throws HoldfastException if the zone has changed and cannot be read
   */
  public Optional<ApiResponse> answer(Asked asked) {
    SiteRequest request = asked.request();
    if (request.refusal().isPresent()) {
      return Optional.of(refused(request.refusal().get()));
    }
    if (asked.isReport()) {
      return Optional.of(report(request));
    }
    Optional<String> zone = asked.zone();
    if (zone.isEmpty()) {
      return Optional.of(plain(421, "This host is not served here."));
    }
    Decision decision = firewall.decide(zone.get(), request);
    if (!decision.matched().isEmpty()) {
      options.decisions().accept(decision);
    }
    if (decision.action() == FirewallAction.BLOCK) {
      return Optional.of(plain(403, "This request is refused."));
    }
    return decision.action().stops()
        ? options.challenge().answer(request, decision)
        : Optional.empty();
  }

  /**
   * {@return whether a response may get headers: a page, the script of a worker, or one that sets
   * cookies}
   *
   * @param asked the request
   * @param contentType its type; null if it has none
   * @param hasCookies whether it sets cookies
   */
  public static boolean mayGetHeaders(
      Asked asked, @Nullable String contentType, boolean hasCookies) {
    return hasCookies
        || HttpApi.isOfWorker(asked.request().headers())
        || (contentType != null
            && contentType.regionMatches(true, 0, "text/html", 0, "text/html".length()));
  }

  /**
   * Returns the headers to add to a response that may get some, and notes its cookies.
   *
   * @param asked the request
   * @param response the headers of the response so far, by name in lower case
   * @return the headers to add, each as a separate line
   * @throws IllegalArgumentException if the policies of the page are unknown: answer with an error,
   *     as a page without its policies would allow what they forbid
   */
  public List<Header> headers(Asked asked, Map<String, List<String>> response) {
    Optional<String> zone = asked.zone();
    SiteRequest request = asked.request();
    if (zone.isEmpty()) {
      return List.of();
    }
    try {
      return api.pageHeaders(
          zone.get(),
          new ApiRequest(request.method(), request.url(), "", request.headers(), NO_BODY),
          response);
    } catch (HoldfastException e) {
      // The site goes on without its monitor; its policies are missing, which the log says.
      LOG.log(Level.WARNING, "a page of zone " + zone.get() + " has no headers", e);
      return List.of();
    }
  }

  private static ApiResponse refused(Refusal refusal) {
    ApiResponse answer = plain(refusal.status(), refusal.reason());
    if (refusal.status() != 415) {
      return answer;
    }
    Map<String, String> headers = new HashMap<>(answer.headers());
    headers.put("Accept-Encoding", "gzip, deflate, identity");
    return new ApiResponse(415, headers, answer.body());
  }

  private ApiResponse report(SiteRequest request) {
    if (request.bodyCut()) {
      return plain(413, "The report is too long.");
    }
    RequestTarget target = request.target().orElseThrow();
    return api.handle(
        new ApiRequest(
            request.method(),
            target.path(),
            Objects.requireNonNullElse(target.query(), ""),
            request.headers(),
            request.body(),
            request.client()));
  }

  /**
   * Stores what pages have left in memory: for the end of the server.
   *
   * @throws HoldfastException if a zone cannot be called
   */
  @Override
  public void close() {
    api.storeCookies();
  }

  static ApiResponse plain(int status, String text) {
    return new ApiResponse(status, SiteOptions.PLAIN_TEXT, text + "\n");
  }
}
