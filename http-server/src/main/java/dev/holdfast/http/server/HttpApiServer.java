package dev.holdfast.http.server;

import dev.holdfast.http.Admission;
import dev.holdfast.http.ApiRequest;
import dev.holdfast.http.ApiResponse;
import dev.holdfast.http.HttpApi;
import dev.holdfast.http.server.internal.WebServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.Map;
import java.util.function.Function;

/**
 * A server for the API: HTTP/1.1 and 1.0, with TLS also HTTP/2, a virtual thread for each request.
 * It also answers malformed requests in the API's envelope, reads a body only after the sender and
 * the operation are known, and bounds the memory that all clients together can occupy. In addition
 * to the API it answers {@code GET /healthz}. Thread-safe.
 */
public final class HttpApiServer implements AutoCloseable {

  private static final String HEALTH_PATH = "/healthz";

  private final WebServer server;
  private final Runnable last;

  private HttpApiServer(WebServer server, Runnable last) {
    this.server = server;
    this.last = last;
  }

  /**
   * Starts a server.
   *
   * @param api the API that answers
   * @param options its options
   * @return the running server
   * @throws IOException if it cannot listen at the address
   */
  public static HttpApiServer start(HttpApi api, ServerOptions options) throws IOException {
    return start(address -> api, options);
  }

  /**
   * Starts a server whose API needs the address of the server, for example to have reports sent to
   * it.
   *
   * @param api creates the API from the address, with the actual port of the server
   * @param options its options
   * @return the running server
   * @throws IOException if it cannot listen at the address
   */
  public static HttpApiServer start(Function<InetSocketAddress, HttpApi> api, ServerOptions options)
      throws IOException {
    ServerSocketChannel channel = WebServer.bind(options.address());
    try {
      HttpApi made = api.apply((InetSocketAddress) channel.getLocalAddress());
      return start(channel, head -> admit(made, head), made::storeCookies, options);
    } catch (RuntimeException | Error e) {
      channel.close();
      throw e;
    }
  }

  /**
   * Starts a server with a handler other than the API: for example a site that answers its own
   * pages and passes other requests to {@link HttpApi#handle}.
   *
   * @param handler answers the requests; thread-safe
   * @param options its options
   * @return the running server
   * @throws IOException if it cannot listen at the address
   */
  public static HttpApiServer serve(
      Function<ApiRequest, ApiResponse> handler, ServerOptions options) throws IOException {
    return start(
        WebServer.bind(options.address()),
        head ->
            new Admission.Admitted(
                "", Integer.MAX_VALUE, body -> handler.apply(head.withBody(body))),
        () -> {},
        options);
  }

  private static Admission admit(HttpApi api, ApiRequest head) {
    if (!head.path().equals(HEALTH_PATH)) {
      return api.admit(head);
    }
    boolean healthy = api.isHealthy();
    return new Admission.Answered(
        new ApiResponse(
            healthy ? 200 : 503,
            Map.of("Content-Type", "application/json"),
            "{\"healthy\":" + healthy + "}"));
  }

  private static HttpApiServer start(
      ServerSocketChannel channel,
      Function<ApiRequest, Admission> admission,
      Runnable last,
      ServerOptions options)
      throws IOException {
    return new HttpApiServer(
        WebServer.start(channel, options.limits(), options.tls(), admission, options.requestLog()),
        last);
  }

  /** {@return the address of the server, with its actual port} */
  public InetSocketAddress address() {
    return server.address();
  }

  /**
   * Accepts no new requests, waits for those in flight, stops, and stores the cookies that the API
   * has noted.
   */
  @Override
  public void close() {
    server.close();
    last.run();
  }
}
