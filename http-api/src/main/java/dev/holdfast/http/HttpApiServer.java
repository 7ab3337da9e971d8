package dev.holdfast.http;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

/**
 * The server of the JDK in front of the API, HTTP/1.1 on virtual threads. Beside the API it answers
 * {@code GET /healthz}.
 *
 * <p>What the JDK lets be set only for a whole process is the application's to set: {@link
 * #PROCESS_PROPERTIES} are the values that {@code ./holdfast serve} uses. Thread-safe.
 */
public final class HttpApiServer implements AutoCloseable {

  /**
   * System properties that bound headers, idle connections and the time of a request; to be set
   * before the first server of the process starts.
   */
  public static final Map<String, String> PROCESS_PROPERTIES =
      Map.of(
          "sun.net.httpserver.nodelay", "true",
          "sun.net.httpserver.maxReqTime", "30",
          "sun.net.httpserver.maxRspTime", "60",
          "sun.net.httpserver.maxReqHeaders", "100",
          "sun.net.httpserver.maxReqHeaderSize", "65536",
          "sun.net.httpserver.idleInterval", "60",
          "jdk.httpserver.maxConnections", "4096");

  private final HttpServer server;
  private final ExecutorService threads;
  private final ServerOptions options;

  private HttpApiServer(HttpServer server, ExecutorService threads, ServerOptions options) {
    this.server = server;
    this.threads = threads;
    this.options = options;
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
    HttpServer server = HttpServer.create(options.address(), 0);
    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    server.setExecutor(threads);
    try {
      server.createContext("/", new ExchangeHandler(api.apply(server.getAddress()), options));
    } catch (RuntimeException | Error e) {
      server.stop(0);
      threads.close();
      throw e;
    }
    server.start();
    return new HttpApiServer(server, threads, options);
  }

  /** {@return where the server listens, with the port it got} */
  public InetSocketAddress address() {
    return server.getAddress();
  }

  /** Takes no new requests, lets those in flight finish, and stops. */
  @Override
  public void close() {
    server.stop((int) options.stopTimeout().toSeconds());
    threads.close();
  }
}
