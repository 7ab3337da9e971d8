package dev.holdfast.http.server.internal;

import dev.holdfast.http.Admission;
import dev.holdfast.http.ApiRequest;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.compression.gzip.GzipCompression;
import org.eclipse.jetty.compression.server.CompressionConfig;
import org.eclipse.jetty.compression.server.CompressionHandler;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.http.UriCompliance.Violation;
import org.eclipse.jetty.http2.HTTP2Cipher;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;

/**
 * Jetty as the API needs it: HTTP/1.1 and 1.0, with TLS also HTTP/2, a virtual thread for each
 * request, strict in what it reads, bounded in bytes, time and number. It has no servlets.
 * Thread-safe.
 */
public final class WebServer implements AutoCloseable {

  private static final int BACKLOG = 1_024;

  /** For the acceptor, the selector and other tasks that never wait for an object. */
  private static final int PLATFORM_THREADS = 4;

  /** The time that a connection without a request stays open when the server stops. */
  private static final int STOP_IDLE_MILLIS = 100;

  private static final Duration STOP = Duration.ofSeconds(5);

  /** Sites get paths in canonical form, of which the firewall refuses what has none. */
  private static final UriCompliance SITE_URIS =
      UriCompliance.UNSAFE.without("HOLDFAST_SITE", Violation.USER_INFO, Violation.FRAGMENT);

  /** Paths are matched as received, never decoded as a whole: nothing in them is ambiguous. */
  private static final UriCompliance API_URIS =
      UriCompliance.UNSAFE.without(
          "HOLDFAST", Violation.ILLEGAL_PATH_CHARACTERS, Violation.USER_INFO, Violation.FRAGMENT);

  private static final Logger LOG = System.getLogger("dev.holdfast.http");

  private final Server server;
  private final BodyBudget budget;
  private final InetSocketAddress address;
  private final AtomicBoolean isClosed = new AtomicBoolean();

  private WebServer(Server server, BodyBudget budget, InetSocketAddress address) {
    this.server = server;
    this.budget = budget;
    this.address = address;
  }

  /**
   * Binds an address on which {@link #start} then listens.
   *
   * @param address the address; port 0 for any free port
   * @return the channel; connections to it wait
   * @throws IOException if the address cannot be bound
   */
  public static ServerSocketChannel bind(InetSocketAddress address) throws IOException {
    ServerSocketChannel channel = ServerSocketChannel.open();
    try {
      channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      channel.bind(address, BACKLOG);
      return channel;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  /**
   * Starts to answer.
   *
   * @param channel the source of requests; owned by the server
   * @param limits the limits on what the server holds for its clients
   * @param tls the key of the server; null without TLS
   * @param admission checks a request before its body is read
   * @param requestLog receives a line for each request, on the thread that answers it
   * @return the running server
   * @throws IOException if it cannot serve
   */
  public static WebServer start(
      ServerSocketChannel channel,
      Limits limits,
      @Nullable SSLContext tls,
      Function<ApiRequest, Admission> admission,
      Consumer<String> requestLog)
      throws IOException {
    BodyBudget budget = new BodyBudget(limits.bodiesBytes());
    Server server = new Server(threads());
    RequestAnswers answers = new RequestAnswers(admission, requestLog, budget, limits);
    server.setHandler(new GracefulHandler(compressed(answers)));
    server.setErrorHandler(answers::refuse);
    return start(channel, limits, tls, server, configuration(API_URIS), budget);
  }

  /**
   * Starts to answer with a handler of the library.
   *
   * @param channel the source of requests; owned by the server
   * @param connections the maximum number of connections
   * @param idle the time that a connection is kept without a request or a byte of one
   * @param tls the key of the server; null without TLS
   * @param handler answers the requests
   * @return the running server
   * @throws IOException if it cannot serve
   */
  public static WebServer start(
      ServerSocketChannel channel,
      int connections,
      Duration idle,
      @Nullable SSLContext tls,
      Handler handler)
      throws IOException {
    Server server = new Server(threads());
    server.setHandler(new GracefulHandler(handler));
    server.setErrorHandler(WebServer::plainError);
    Limits limits = new Limits(connections, 1, 1, idle, idle, STOP);
    return start(channel, limits, tls, server, configuration(SITE_URIS), new BodyBudget(1));
  }

  /** Answers with gzip where the client reads it. Bodies of requests are never expanded. */
  private static CompressionHandler compressed(Handler answers) {
    GzipCompression gzip = new GzipCompression();
    gzip.setMinCompressSize(ServerBounds.COMPRESSED_BYTES_MIN);
    CompressionHandler handler = new CompressionHandler(answers);
    handler.putCompression(gzip);
    handler.putConfiguration(
        "/*",
        CompressionConfig.builder()
            .compressIncludeMethod("GET")
            .compressIncludeMimeType("application/json")
            .compressIncludeMimeType("text/csv")
            .decompressExcludePath("/*")
            .build());
    return handler;
  }

  /** The library's own pages name classes and messages of exceptions. */
  private static boolean plainError(Request request, Response response, Callback callback) {
    logIfInternal(request, response);
    byte[] text = ("Error " + response.getStatus() + "\n").getBytes(StandardCharsets.US_ASCII);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/plain;charset=utf-8");
    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, text.length);
    response.write(true, ByteBuffer.wrap(text), callback);
    return true;
  }

  /**
   * Its message is for the log, not for a client; the library keeps both for itself. That a client
   * is gone, or has sent malformed frames, is no failure of the server.
   */
  static void logIfInternal(Request request, Response response) {
    if (response.getStatus() == 500
        && request.getAttribute(ErrorHandler.ERROR_EXCEPTION) instanceof Throwable cause
        && !(cause instanceof EofException)) {
      String line = request.getMethod() + " " + request.getHttpURI().getPath();
      LOG.log(Level.ERROR, line + " failed", cause);
    }
  }

  private static WebServer start(
      ServerSocketChannel channel,
      Limits limits,
      @Nullable SSLContext tls,
      Server server,
      HttpConfiguration configuration,
      BodyBudget budget)
      throws IOException {
    InetSocketAddress address = (InetSocketAddress) channel.getLocalAddress();
    server.setStopTimeout(limits.stop().toMillis());
    ServerConnector connector = new ServerConnector(server, 1, 1, protocols(tls, configuration));
    connector.setIdleTimeout(limits.idle().toMillis());
    connector.setShutdownIdleTimeout(STOP_IDLE_MILLIS);
    connector.addBean(new HeadDeadlines(connector.getScheduler(), limits.request().toMillis()));
    connector.addBean(new ConnectionRoom(limits.connections()));
    server.addConnector(connector);
    WebServer started = new WebServer(server, budget, address);
    try {
      connector.open(channel);
      server.start();
      return started;
    } catch (Exception e) {
      try (channel) {
        started.close();
      }
      throw new IOException("cannot serve at " + address, e);
    }
  }

  /** HTTP/1, and with TLS also HTTP/2, as the client chooses. */
  private static ConnectionFactory[] protocols(
      @Nullable SSLContext tls, HttpConfiguration configuration) {
    HttpConnectionFactory http1 = new HttpConnectionFactory(configuration);
    if (tls == null) {
      return new ConnectionFactory[] {http1};
    }
    // A key serves all zones of its certificate: the name that a client asks for is the firewall's.
    configuration.addCustomizer(new SecureRequestCustomizer(false));
    // It ends the connection where HTTP/1 answers that a head is too long.
    HttpConfiguration longer = new HttpConfiguration(configuration);
    longer.setRequestHeaderSize(2 * ServerBounds.HEAD_BYTES_MAX);
    HTTP2ServerConnectionFactory http2 = new HTTP2ServerConnectionFactory(longer);
    // Clients open a connection of HTTP/1 for a WebSocket then.
    http2.setConnectProtocolEnabled(false);
    ALPNServerConnectionFactory choice = new ALPNServerConnectionFactory();
    choice.setDefaultProtocol(http1.getProtocol());
    SslContextFactory.Server secure = new SslContextFactory.Server();
    secure.setSslContext(tls);
    secure.setCipherComparator(HTTP2Cipher.COMPARATOR);
    return new ConnectionFactory[] {
      new SslConnectionFactory(secure, choice.getProtocol()), choice, http2, http1
    };
  }

  private static QueuedThreadPool threads() {
    QueuedThreadPool threads = new QueuedThreadPool(PLATFORM_THREADS, PLATFORM_THREADS);
    threads.setName("holdfast-http");
    threads.setDaemon(true);
    threads.setReservedThreads(0);
    threads.setVirtualThreadsExecutor(
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("holdfast-http-", 0).factory()));
    return threads;
  }

  private static HttpConfiguration configuration(UriCompliance uris) {
    HttpConfiguration configuration = new HttpConfiguration();
    configuration.setSendServerVersion(false);
    configuration.setRequestHeaderSize(ServerBounds.HEAD_BYTES_MAX);
    configuration.setMaxResponseHeaderSize(ServerBounds.ANSWERED_HEAD_BYTES_MAX);
    // A connection would keep 100 KiB of headers that it has sent: 4,096 of them 400 MiB.
    configuration.setHeaderCacheSize(0);
    // No answer depends on the requested host.
    configuration.setHttpCompliance(
        HttpCompliance.STRICT.with("HOLDFAST", HttpCompliance.Violation.MISMATCHED_AUTHORITY));
    configuration.setUriCompliance(uris);
    return configuration;
  }

  /** {@return the address of the server, with its actual port} */
  public InetSocketAddress address() {
    return address;
  }

  /** {@return the number of bytes of bodies that can be accepted now} */
  int bodyBytesLeft() {
    return budget.left();
  }

  /**
   * Accepts no new requests, waits a limited time for those in flight, and closes the remaining
   * connections.
   */
  @Override
  public void close() {
    if (isClosed.getAndSet(true)) {
      return;
    }
    try {
      server.stop();
    } catch (TimeoutException e) {
      LOG.log(
          Level.INFO,
          "Requests were in flight when the server stopped; their clients get no reply.",
          e);
    } catch (Exception e) {
      throw new IllegalStateException("the server cannot be stopped", e);
    }
  }
}
