package dev.holdfast.http.server.site;

import dev.holdfast.http.firewall.SiteRequest;
import dev.holdfast.http.server.internal.ServerBounds;
import dev.holdfast.http.site.SiteGuard;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.HttpUpgrader;
import org.eclipse.jetty.client.UpgradeProtocolHandler;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.proxy.ProxyHandler;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Passes requests to the origin, with their bodies and trailers. Headers of one connection are
 * dropped in both directions, the host is kept.
 */
final class OriginHandler extends ProxyHandler.Reverse {

  private static final int ORIGIN_CONNECTIONS_MAX = 256;

  /** What a client claims about the way of its request is worth nothing to the origin. */
  private static final Set<String> CLAIMS =
      Set.of("forwarded", "x-original-url", "x-real-ip", "x-rewrite-url");

  /** More trailers with a meaning for the whole message than those that rules judge. */
  private static final Set<String> NO_TRAILERS =
      Set.of(
          """
          age cache-control connection content-range date expires keep-alive location pragma
          proxy-authenticate proxy-connection retry-after set-cookie te trailer upgrade vary via
          www-authenticate
          """
              .split("\\s+"));

  private final SiteGuard guard;
  private final Duration slow;
  private final Semaphore sockets = new Semaphore(ServerBounds.SITE_SOCKETS_MAX);

  OriginHandler(SiteGuard guard, URI origin, Duration slow) {
    super(
        request ->
            HttpURI.build(request.getHttpURI())
                .scheme(origin.getScheme())
                .authority(origin.getHost(), origin.getPort()));
    this.guard = guard;
    this.slow = slow;
    setViaHost("holdfast");
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    boolean isSocket = WebSocketTunnel.isAskedFor(request);
    if (isSocket && !sockets.tryAcquire()) {
      Response.writeError(request, response, callback, 503);
      return true;
    }
    if (isSocket) {
      Request.addCompletionListener(request, failure -> releaseUnlessPassed(request));
    }
    boolean isStream = request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_2;
    return super.handle(isStream ? StreamedRequest.of(request) : request, response, callback);
  }

  /** The target is sent as it is: the library would refuse what its own class for URIs refuses. */
  @Override
  protected org.eclipse.jetty.client.Request newProxyToServerRequest(Request request, HttpURI uri) {
    return getHttpClient()
        .newRequest(uri.getHost(), uri.getPort())
        .path(uri.getPathQuery())
        .method(request.getMethod());
  }

  private void releaseUnlessPassed(Request request) {
    if (request.getAttribute(HttpStream.UPGRADE_CONNECTION_ATTRIBUTE) == null) {
      sockets.release();
    }
  }

  @Override
  protected void doStart() throws Exception {
    super.doStart();
    getHttpClient().getProtocolHandlers().put(new UpgradeProtocolHandler());
  }

  @Override
  protected HttpClient newHttpClient() {
    HttpClient client = super.newHttpClient();
    client.setMaxConnectionsPerDestination(ORIGIN_CONNECTIONS_MAX);
    client.setUserAgentField(null);
    client.setDefaultRequestContentType(null);
    client.setMaxRequestHeadersSize(ServerBounds.FORWARDED_HEAD_BYTES_MAX);
    client.setMaxResponseHeadersSize(ServerBounds.HEAD_BYTES_MAX);
    client.setIdleTimeout(slow.toMillis());
    client.setConnectTimeout(slow.toMillis());
    return client;
  }

  @Override
  protected void addProxyHeaders(Request request, org.eclipse.jetty.client.Request toOrigin) {
    super.addViaHeader(request, toOrigin);
    String peer = SiteGuard.address(Request.getRemoteAddr(request));
    HttpFields given = request.getHeaders();
    String before = String.join(", ", given.getValuesList(HttpHeader.X_FORWARDED_FOR));
    boolean isTrusted = guard.isTrusted(peer);
    toOrigin.headers(
        headers -> {
          headers.put(HttpHeader.HOST, SiteRequests.host(request));
          if (!isTrusted) {
            given.stream()
                .filter(field -> isClaim(field.getLowerCaseName()))
                .forEach(field -> headers.remove(field.getName()));
          }
          headers.put(
              HttpHeader.X_FORWARDED_FOR,
              isTrusted && !before.isEmpty() ? before + ", " + peer : peer);
          headers.put(HttpHeader.X_FORWARDED_PROTO, request.getHttpURI().getScheme());
        });
    if (given.contains(HttpHeader.TRANSFER_ENCODING)) {
      announced(given).ifPresent(names -> toOrigin.headers(headers -> headers.put(names)));
      toOrigin.trailersSupplier(() -> endToEnd(request.getTrailers()));
    }
  }

  /** Returns the trailers that may pass; null if there are none. */
  private static @Nullable HttpFields endToEnd(@Nullable HttpFields trailers) {
    if (trailers == null) {
      return null;
    }
    HttpFields.Mutable passed = HttpFields.build();
    for (HttpField field : trailers) {
      if (mayTrail(field.getLowerCaseName())) {
        passed.add(field);
      }
    }
    return passed.size() == 0 ? null : passed;
  }

  /** Returns the header that announces trailers, with those that may pass. */
  private static Optional<HttpField> announced(HttpFields headers) {
    List<String> names =
        headers.getCSV(HttpHeader.TRAILER, false).stream()
            .filter(name -> mayTrail(name.toLowerCase(Locale.ROOT)))
            .toList();
    return names.isEmpty()
        ? Optional.empty()
        : Optional.of(new HttpField(HttpHeader.TRAILER, String.join(", ", names)));
  }

  private static boolean mayTrail(String name) {
    String hyphens = name.replace('_', '-');
    // The firewall would not have seen them.
    return !NO_TRAILERS.contains(hyphens) && !SiteRequest.isOfTheRequest(hyphens);
  }

  private static boolean isClaim(String name) {
    return CLAIMS.contains(name) || name.startsWith("x-forwarded-");
  }

  /** The library takes each failure for one of the origin. */
  @Override
  protected void onServerToProxyResponseFailure(
      Request request,
      org.eclipse.jetty.client.Request toOrigin,
      org.eclipse.jetty.client.Response answer,
      Response response,
      Callback callback,
      Throwable failure) {
    if (failure instanceof HttpException.RuntimeException malformed && malformed.getCode() == 400) {
      Response.writeError(request, response, callback, 400);
    } else {
      super.onServerToProxyResponseFailure(request, toOrigin, answer, response, callback, failure);
    }
  }

  @Override
  protected org.eclipse.jetty.client.Response.CompleteListener newServerToProxyResponseListener(
      Request request,
      org.eclipse.jetty.client.Request toOrigin,
      Response response,
      Callback callback) {
    return new Answer(request, toOrigin, response, callback);
  }

  /** Passes the answer of the origin. */
  private final class Answer extends ProxyResponseListener implements HttpUpgrader {

    private final Request request;
    private final Response response;
    private final Callback callback;

    Answer(
        Request request,
        org.eclipse.jetty.client.Request toOrigin,
        Response response,
        Callback callback) {
      super(request, toOrigin, response, callback);
      this.request = request;
      this.response = response;
      this.callback = callback;
      if (WebSocketTunnel.isAskedFor(request)) {
        HttpUpgrader.Factory factory = version -> this;
        toOrigin.attribute(HttpUpgrader.Factory.class.getName(), factory);
        // A pool of their own: a handshake waits for no page, and no page for a handshake.
        toOrigin.tag("websocket");
      }
    }

    @Override
    public void prepare(org.eclipse.jetty.client.Request toOrigin) {
      toOrigin.headers(
          headers ->
              headers.put(HttpHeader.CONNECTION, "Upgrade").put(HttpHeader.UPGRADE, "websocket"));
    }

    @Override
    public void upgrade(
        org.eclipse.jetty.client.Response answer, EndPoint origin, Callback upgraded) {
      try {
        onBegin(answer);
        onHeaders(answer);
        response
            .getHeaders()
            .put(HttpHeader.CONNECTION, "Upgrade")
            .put(HttpHeader.UPGRADE, "websocket");
        WebSocketTunnel.begin(request, origin, sockets::release);
      } catch (RuntimeException e) {
        origin.close(); // the pool has given it away
        throw e;
      }
      callback.succeeded();
    }

    /** Whether the client wants the connection to end after the answer. */
    private boolean isLast() {
      HttpFields given = request.getHeaders();
      return switch (request.getConnectionMetaData().getHttpVersion()) {
        case HTTP_1_1 -> given.contains(HttpHeader.CONNECTION, "close");
        case HTTP_1_0 -> !given.contains(HttpHeader.CONNECTION, "keep-alive");
        default -> false;
      };
    }

    /** The library would say that a body is empty which only is not sent. */
    @Override
    public void onSuccess(org.eclipse.jetty.client.Response answer) {
      boolean isUnsent = answer.getStatus() == 304 || HttpMethod.HEAD.is(request.getMethod());
      if (!isUnsent || response.getHeaders().contains(HttpHeader.CONTENT_LENGTH)) {
        super.onSuccess(answer);
        return;
      }
      response.write(
          false,
          BufferUtil.EMPTY_BUFFER,
          Callback.from(() -> super.onSuccess(answer), this::failed));
    }

    @Override
    public void onHeaders(org.eclipse.jetty.client.Response answer) {
      super.onHeaders(answer);
      HttpFields headers = answer.getHeaders();
      headers.getCSV(HttpHeader.CONNECTION, false).forEach(response.getHeaders()::remove);
      if (isLast()) {
        // The library forgets it where a head is longer than its first buffer.
        response.getHeaders().put(HttpHeader.CONNECTION, HttpHeaderValue.CLOSE);
      }
      if (answer.getVersion() == HttpVersion.HTTP_1_1
          && headers.contains(HttpHeader.TRANSFER_ENCODING)) {
        announced(headers).ifPresent(response.getHeaders()::put);
        response.setTrailersSupplier(() -> endToEnd(answer.getTrailers()));
      }
    }
  }
}
