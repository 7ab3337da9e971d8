package dev.holdfast.http;

import dev.holdfast.http.internal.server.Listener;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.InstantSource;
import java.util.function.Function;

/**
 * A server for the API: HTTP/1.1 without TLS, a virtual thread for each connection. It answers a
 * request that is not well-formed in the API's envelope too, reads a body only when it is known who
 * sends it what for, and bounds what all clients together can make it hold. Beside the API it
 * answers {@code GET /healthz}. Thread-safe.
 */
public final class HttpApiServer implements AutoCloseable {

  private final Listener listener;
  private final InetSocketAddress address;

  private HttpApiServer(Listener listener, InetSocketAddress address) {
    this.listener = listener;
    this.address = address;
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
    ServerSocket socket = Listener.bind(options.address());
    try {
      InetSocketAddress address = (InetSocketAddress) socket.getLocalSocketAddress();
      HttpApi made = api.apply(address);
      return start(socket, made::admitWithHealth, made.clock(), options);
    } catch (RuntimeException | Error e) {
      socket.close();
      throw e;
    }
  }

  /**
   * Starts a server that asks something else than the API: such as a site that answers its own
   * pages itself, and passes on to {@link HttpApi#handle} what is not its own.
   *
   * @param handler answers; thread-safe
   * @param clock dates the answers
   * @param options how it behaves
   * @return the running server
   * @throws IOException if it cannot listen at the address
   */
  public static HttpApiServer serve(
      Function<ApiRequest, ApiResponse> handler, InstantSource clock, ServerOptions options)
      throws IOException {
    return start(
        Listener.bind(options.address()),
        head ->
            new Admission.Admitted(Integer.MAX_VALUE, body -> handler.apply(head.withBody(body))),
        clock,
        options);
  }

  private static HttpApiServer start(
      ServerSocket socket,
      Function<ApiRequest, Admission> admission,
      InstantSource clock,
      ServerOptions options) {
    InetSocketAddress address = (InetSocketAddress) socket.getLocalSocketAddress();
    return new HttpApiServer(
        Listener.start(socket, options.limits(), new ExchangeHandler(admission, options), clock),
        address);
  }

  /** {@return where the server listens, with the port it got} */
  public InetSocketAddress address() {
    return address;
  }

  /** Takes no new requests, lets those in flight finish, and stops. */
  @Override
  public void close() {
    listener.close();
  }
}
