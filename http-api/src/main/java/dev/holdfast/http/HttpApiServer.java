package dev.holdfast.http;

import dev.holdfast.http.internal.server.WebServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.function.Function;

/**
 * A server for the API: HTTP/1.1 and 1.0 without TLS, a virtual thread for each request. It answers
 * a request that is not well-formed in the API's envelope too, reads a body only when it is known
 * who sends it what for, and bounds what all clients together can make it hold. Beside the API it
 * answers {@code GET /healthz}. Thread-safe.
 */
public final class HttpApiServer implements AutoCloseable {

  private final WebServer server;

  private HttpApiServer(WebServer server) {
    this.server = server;
  }

  /**
   * Starts a server.
   *
   * @param api what answers
   * @param options how it behaves
   * @return the running server
   * @throws IOException if it cannot listen at the address
   */
  public static HttpApiServer start(HttpApi api, ServerOptions options) throws IOException {
    return start(address -> api, options);
  }

  /**
   * Starts a server whose API wants to know where it listens, such as to have reports sent there.
   *
   * @param api makes what answers from the address, with the port that the server got
   * @param options how it behaves
   * @return the running server
   * @throws IOException if it cannot listen at the address
   */
  public static HttpApiServer start(Function<InetSocketAddress, HttpApi> api, ServerOptions options)
      throws IOException {
    ServerSocketChannel channel = WebServer.bind(options.address());
    try {
      HttpApi made = api.apply((InetSocketAddress) channel.getLocalAddress());
      return start(channel, made::admitWithHealth, options);
    } catch (RuntimeException | Error e) {
      channel.close();
      throw e;
    }
  }

  /**
   * Starts a server that asks something else than the API: such as a site that answers its own
   * pages itself, and passes on to {@link HttpApi#handle} what is not its own.
   *
   * @param handler answers; thread-safe
   * @param options how it behaves
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
        options);
  }

  private static HttpApiServer start(
      ServerSocketChannel channel, Function<ApiRequest, Admission> admission, ServerOptions options)
      throws IOException {
    return new HttpApiServer(
        WebServer.start(channel, options.limits(), new ExchangeHandler(admission, options)));
  }

  /** {@return where the server listens, with the port it got} */
  public InetSocketAddress address() {
    return server.address();
  }

  /** Takes no new requests, lets those in flight finish, and stops. */
  @Override
  public void close() {
    server.close();
  }
}
