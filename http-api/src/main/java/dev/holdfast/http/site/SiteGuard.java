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
import dev.holdfast.http.internal.HttpBounds;
import dev.holdfast.http.internal.report.ReportAddress;
import dev.holdfast.http.url.WebUrl;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What all adapters do with a request, independent of the server that received it. Thread-safe. */
final class SiteGuard {

  private static final Logger LOG = System.getLogger("dev.holdfast.http");
  private static final ByteBuffer NO_BODY = ByteBuffer.allocate(0);

  private final HttpApi api;
  private final Firewall firewall;
  private final SiteOptions options;
  private final ClientAddress clients;

  SiteGuard(HttpApi api, SiteOptions options) {
    this.api = api;
    this.firewall = api.firewall();
    this.options = options;
    this.clients = new ClientAddress(options.trustedProxies());
  }

  String client(String peer, List<String> forwardedFor) {
    return clients.of(peer, forwardedFor);
  }

  /** A request, and what its URL says. */
  record Asked(SiteRequest request, Optional<WebUrl> url, Optional<String> zone) {

    Asked withBody(ByteBuffer body, boolean isCut) {
      return new Asked(request.withBody(body, isCut), url, zone);
    }

    boolean isReport() {
      return url.isPresent() && url.get().path().equals(ReportAddress.PATH);
    }
  }

  Asked asked(SiteRequest request) {
    Optional<WebUrl> url = WebUrl.parse(request.url());
    return new Asked(request, url, url.flatMap(known -> firewall.zoneOf(known.host())));
  }

  /**
   * Returns how much of the body to read first: nothing, the beginning for the firewall, or a whole
   * report.
   */
  int bodyBytes(Asked asked) {
    if (asked.isReport()) {
      return HttpBounds.REPORT_BODY_BYTES_MAX;
    }
    return asked.zone().isPresent() && firewall.readsBody(asked.zone().get())
        ? Firewall.BODY_BYTES_MAX
        : 0;
  }

  /** Returns the answer to a request that does not reach the site; empty if it does. */
  Optional<ApiResponse> answer(Asked asked) {
    SiteRequest request = asked.request();
    if (asked.isReport()) {
      return Optional.of(report(request));
    }
    if (asked.url().isEmpty()) {
      return Optional.of(plain(400, "This address cannot be read."));
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

  /** Returns whether a response may get headers: a page, or one that sets cookies. */
  static boolean mayGetHeaders(@Nullable String contentType, boolean hasCookies) {
    return hasCookies
        || (contentType != null
            && contentType.regionMatches(true, 0, "text/html", 0, "text/html".length()));
  }

  /**
   * Returns the headers to add to a response that may get some.
   *
   * @throws IllegalArgumentException if the policies of the page are unknown
   */
  List<Header> headers(Asked asked, Map<String, List<String>> response) {
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

  private ApiResponse report(SiteRequest request) {
    if (request.bodyCut()) {
      return plain(413, "The report is too long.");
    }
    WebUrl url = WebUrl.of(request.url());
    return api.handle(
        new ApiRequest(request.method(), url.path(), url.query(), request.headers(), request.body())
            .withClient(request.client()));
  }

  /** Stores what pages have left in memory. */
  void close() {
    api.storeCookies();
  }

  static ApiResponse plain(int status, String text) {
    return new ApiResponse(status, SiteOptions.PLAIN_TEXT, text + "\n");
  }
}
