package dev.holdfast.http.server.site;

import dev.holdfast.http.HttpApi;
import dev.holdfast.http.server.internal.ServerBounds;
import dev.holdfast.http.server.internal.WebServer;
import dev.holdfast.http.site.SiteGuard;
import dev.holdfast.http.site.SiteOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A server for a site: it decides on each request, and passes those that may pass to an origin.
 * Bodies stream in both directions, trailers and WebSockets pass. An origin that does not answer
 * becomes the status 502, and one that is too slow 504. HTTP/1.1 and 1.0, with TLS also HTTP/2; the
 * origin is asked with HTTP/1.1 without TLS. Thread-safe.
 */
public final class SiteProxy implements AutoCloseable {

  private final WebServer server;

  private SiteProxy(WebServer server) {
    this.server = server;
  }

  /**
   * Starts a proxy.
   *
   * @param api the API whose zones decide
   * @param options the options of the site
   * @param address the address on which the site is served; port 0 for any free port
   * @param origin scheme, host and port of the site itself, such as {@code http://127.0.0.1:3000}
   * @param slow the time without any byte of the origin after which it is too slow
   * @param tls the key of the site, of {@link dev.holdfast.http.server.TlsKeys} for example; null
   *     without TLS
   * @return the running proxy
   * @throws IOException if it cannot listen at the address
   * @throws IllegalArgumentException if the origin is not an http URL of a host
   */
  public static SiteProxy start(
      HttpApi api,
      SiteOptions options,
      InetSocketAddress address,
      URI origin,
      Duration slow,
      @Nullable SSLContext tls)
      throws IOException {
    if (!"http".equals(origin.getScheme())
        || origin.getHost() == null
        || !origin.getRawPath().isEmpty()
        || origin.getRawQuery() != null) {
      throw new IllegalArgumentException(
          "an origin is scheme http, host and port, such as http://127.0.0.1:3000: " + origin);
    }
    ServerSocketChannel channel = WebServer.bind(address);
    return new SiteProxy(
        WebServer.start(
            channel,
            ServerBounds.SITE_CONNECTIONS_MAX,
            slow,
            tls,
            new FirewallHandler(
                api, options, new OriginHandler(new SiteGuard(api, options), origin, slow))));
  }

  /** {@return the address of the site, with its actual port} */
  public InetSocketAddress address() {
    return server.address();
  }

  /** Accepts no new requests, waits for those in flight, and stops. */
  @Override
  public void close() {
    server.close();
  }
}
