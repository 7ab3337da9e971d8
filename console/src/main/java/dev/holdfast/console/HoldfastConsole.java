package dev.holdfast.console;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.operator.OperatorService;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.Executors;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;

/**
 * A console that runs: shows a runtime, its objects and their past in a browser. Thread-safe.
 *
 * <pre>{@code
 * try (HoldfastConsole console = HoldfastConsole.start(runtime, ConsoleOptions.DEFAULT)) {
 *   System.out.println(console.address() + " token " + console.newToken().orElseThrow());
 * }
 * }</pre>
 */
public final class HoldfastConsole implements AutoCloseable {

  /**
   * For the acceptor and the selector: requests have virtual ones, so slow ones keep nobody out.
   */
  private static final int PLATFORM_THREADS = 4;

  private static final int HEAD_BYTES_MAX = 16 << 10;

  private final Server server;
  private final URI address;
  private final @Nullable String token;

  private HoldfastConsole(Server server, URI address, @Nullable String token) {
    this.server = server;
    this.address = address;
    this.token = token;
  }

  /**
   * Starts a console on a runtime. Close it before the runtime.
   *
   * @param runtime what is shown; opened by {@code Holdfast}, or a node of a cluster, which shows
   *     all of it
   * @param options how it listens, and how people log in
   * @return the running console
   * @throws IOException if it cannot listen at the address
   * @throws IllegalArgumentException if the runtime is none of Holdfast
   */
  public static HoldfastConsole start(ObjectRuntime runtime, ConsoleOptions options)
      throws IOException {
    return start(ConsoleServlet.operations(runtime), options);
  }

  /**
   * Starts a console on whatever performs the operations for operators, such as the connection to
   * the socket of another process.
   *
   * @param operations what is shown
   * @param options how it listens, and how people log in
   * @return the running console
   * @throws IOException if it cannot listen at the address
   */
  public static HoldfastConsole start(OperatorService operations, ConsoleOptions options)
      throws IOException {
    String token = null;
    ConsoleOptions open = options;
    if (options.tokens().isEmpty() && options.login() == null) {
      token = ConsoleToken.random();
      open = options.withToken(ConsoleToken.of(ConsoleRole.OPERATOR, token));
    }
    QueuedThreadPool threads = new QueuedThreadPool(PLATFORM_THREADS, PLATFORM_THREADS);
    threads.setName("holdfast-console");
    threads.setDaemon(true);
    threads.setReservedThreads(0);
    threads.setVirtualThreadsExecutor(
        Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("holdfast-console-request-", 0).factory()));
    Server server = new Server(threads);
    ServerConnector connector = connector(server, open);
    server.addConnector(connector);
    ServletContextHandler context = new ServletContextHandler("/");
    context.addServlet(new ServletHolder(new ConsoleServlet(operations, open)), "/*");
    server.setHandler(context);
    try {
      server.start();
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException("The console cannot listen at " + options.address(), e);
    }
    return new HoldfastConsole(server, address(open, connector.getLocalPort()), token);
  }

  private static ServerConnector connector(Server server, ConsoleOptions options) {
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setRequestHeaderSize(HEAD_BYTES_MAX);
    ServerConnector connector;
    if (options.tls() == null) {
      connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(http));
    } else {
      http.addCustomizer(new SecureRequestCustomizer(/* sniHostCheck= */ false));
      SslContextFactory.Server tls = new SslContextFactory.Server();
      tls.setSslContext(options.tls());
      connector =
          new ServerConnector(
              server,
              1,
              1,
              new SslConnectionFactory(tls, "http/1.1"),
              new HttpConnectionFactory(http));
    }
    connector.setHost(options.address().getHostString());
    connector.setPort(options.address().getPort());
    return connector;
  }

  private static URI address(ConsoleOptions options, int port) {
    InetAddress host = options.address().getAddress();
    String text = host == null ? options.address().getHostString() : host.getHostAddress();
    return URI.create(
        (options.tls() == null ? "http://" : "https://")
            + (text.contains(":") ? "[" + text + "]" : text)
            + ":"
            + port
            + "/");
  }

  /** {@return where the console is} */
  public URI address() {
    return address;
  }

  /**
   * {@return the token that the console has made, because the options have none; it is kept nowhere
   * else}
   */
  public Optional<String> newToken() {
    return Optional.ofNullable(token);
  }

  /** Stops to listen. Requests that run end. */
  @Override
  public void close() {
    try {
      server.stop();
    } catch (Exception e) {
      throw new IllegalStateException("The console could not be stopped", e);
    }
  }
}
