package dev.holdfast.http.site;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.proxy.ProxyHandler;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/** Passes requests to the origin. Headers of one connection are dropped, the host is kept. */
final class OriginHandler extends ProxyHandler.Reverse {

  private static final HexFormat HEX = HexFormat.of().withUpperCase();
  private static final String LEGAL =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/?";
  private static final int ORIGIN_CONNECTIONS_MAX = 256;

  private final SiteOptions options;
  private final Duration slow;

  OriginHandler(SiteOptions options, URI origin, Duration slow) {
    super(
        request ->
            HttpURI.build(request.getHttpURI())
                .scheme(origin.getScheme())
                .authority(origin.getHost(), origin.getPort())
                .pathQuery(legal(request.getHttpURI().getPathQuery())));
    this.options = options;
    this.slow = slow;
  }

  @Override
  protected HttpClient newHttpClient() {
    HttpClient client = super.newHttpClient();
    client.setMaxConnectionsPerDestination(ORIGIN_CONNECTIONS_MAX);
    client.setIdleTimeout(slow.toMillis());
    client.setConnectTimeout(slow.toMillis());
    return client;
  }

  @Override
  protected void addProxyHeaders(Request request, org.eclipse.jetty.client.Request toOrigin) {
    super.addViaHeader(request, toOrigin);
    @Nullable String host = request.getHeaders().get(HttpHeader.HOST);
    String peer = Request.getRemoteAddr(request);
    @Nullable String before = request.getHeaders().get(HttpHeader.X_FORWARDED_FOR);
    // What a client claims about the way of its request is worth nothing to the origin.
    boolean believed = before != null && options.isTrusted(peer);
    toOrigin.headers(
        headers -> {
          if (host != null) {
            headers.put(HttpHeader.HOST, host);
          }
          headers.put(HttpHeader.X_FORWARDED_FOR, believed ? before + ", " + peer : peer);
          headers.put(HttpHeader.X_FORWARDED_PROTO, request.isSecure() ? "https" : "http");
        });
  }

  /**
   * The client library refuses characters that browsers send; a browser may escape them as well.
   */
  private static String legal(@Nullable String pathQuery) {
    String given = pathQuery == null ? "/" : pathQuery;
    StringBuilder out = new StringBuilder(given.length());
    for (int i = 0; i < given.length(); i++) {
      char c = given.charAt(i);
      boolean escape =
          c == '%'
              && i + 2 < given.length()
              && HexFormat.isHexDigit(given.charAt(i + 1))
              && HexFormat.isHexDigit(given.charAt(i + 2));
      if (escape || LEGAL.indexOf(c) >= 0) {
        out.append(c);
      } else {
        for (byte b : String.valueOf(c).getBytes(StandardCharsets.UTF_8)) {
          out.append('%').append(HEX.toHexDigits(b));
        }
      }
    }
    return out.toString();
  }
}
