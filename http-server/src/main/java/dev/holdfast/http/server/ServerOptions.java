package dev.holdfast.http.server;

import dev.holdfast.http.server.internal.Limits;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The options of the server. Immutable; change with the {@code with} methods.
 *
 * @param address the address on which it listens; port 0 for any free port
 * @param connectionsMax maximum number of connections at once; each additional one closes the
 *     oldest that has no request
 * @param bodyBytesMax maximum length of the body of a request
 * @param bodiesBytesMax maximum total length of the bodies of all requests in flight; a credential
 *     has at most as much of it as is left for all others. Requests above the limit are answered
 *     with the status 429. For answers that are not read yet, the limit is four times as large, by
 *     the same rule
 * @param idleTimeout the time that a connection is kept without a request, and without reading any
 *     part of an answer
 * @param requestTimeout the time that a body may take to arrive; a head that arrives slowly has up
 *     to three times as long
 * @param stopTimeout the time that {@link HttpApiServer#close} waits for requests in flight
 * @param requestLog receives a line for each request, on the thread that answers it
 * @param tls the key of the server, of {@link TlsKeys} for example; null without TLS
 */
public record ServerOptions(
    InetSocketAddress address,
    int connectionsMax,
    int bodyBytesMax,
    int bodiesBytesMax,
    Duration idleTimeout,
    Duration requestTimeout,
    Duration stopTimeout,
    Consumer<String> requestLog,
    @Nullable SSLContext tls) {

  /**
   * Loopback, any port, 4,096 connections, bodies of at most 1 MiB each and 32 MiB together, 60
   * seconds between requests and 30 for one, 5 seconds to stop, no request log, no TLS.
   */
  public static final ServerOptions DEFAULT =
      new ServerOptions(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
          4_096,
          1 << 20,
          32 << 20,
          Duration.ofSeconds(60),
          Duration.ofSeconds(30),
          Duration.ofSeconds(5),
          line -> {},
          null);

  /**
   * {@return these options with another address}
   *
   * @param other the address to listen on
   */
  public ServerOptions withAddress(InetSocketAddress other) {
    return with(draft -> draft.address = other);
  }

  /**
   * {@return these options with another number of connections}
   *
   * @param max the maximum number at once, 1 or more
   */
  public ServerOptions withConnections(int max) {
    return with(draft -> draft.connectionsMax = max);
  }

  /**
   * {@return these options with other limits of bodies}
   *
   * @param bytesMax the maximum for one request
   * @param allBytesMax the maximum for all requests in flight together
   */
  public ServerOptions withBodies(int bytesMax, int allBytesMax) {
    return with(
        draft -> {
          draft.bodyBytesMax = bytesMax;
          draft.bodiesBytesMax = allBytesMax;
        });
  }

  /**
   * {@return these options with other times}
   *
   * @param idle the time that a connection is kept without a request
   * @param request the time that a body may take to arrive
   * @param stop the time that closing waits for requests in flight
   */
  public ServerOptions withTimeouts(Duration idle, Duration request, Duration stop) {
    return with(
        draft -> {
          draft.idleTimeout = idle;
          draft.requestTimeout = request;
          draft.stopTimeout = stop;
        });
  }

  /**
   * {@return these options with another request log}
   *
   * @param log receives a line for each request; thread-safe
   */
  public ServerOptions withRequestLog(Consumer<String> log) {
    return with(draft -> draft.requestLog = log);
  }

  /**
   * {@return these options with TLS, and with HTTP/2 for clients that choose it}
   *
   * @param key the key of the server, of {@link TlsKeys} for example
   */
  public ServerOptions withTls(SSLContext key) {
    return with(draft -> draft.tls = key);
  }

  Limits limits() {
    return new Limits(
        connectionsMax, bodyBytesMax, bodiesBytesMax, idleTimeout, requestTimeout, stopTimeout);
  }

  private ServerOptions with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.options();
  }

  /** Options that change, one at a time. */
  private static final class Draft {
    private InetSocketAddress address;
    private int connectionsMax;
    private int bodyBytesMax;
    private int bodiesBytesMax;
    private Duration idleTimeout;
    private Duration requestTimeout;
    private Duration stopTimeout;
    private Consumer<String> requestLog;
    private @Nullable SSLContext tls;

    Draft(ServerOptions from) {
      address = from.address;
      connectionsMax = from.connectionsMax;
      bodyBytesMax = from.bodyBytesMax;
      bodiesBytesMax = from.bodiesBytesMax;
      idleTimeout = from.idleTimeout;
      requestTimeout = from.requestTimeout;
      stopTimeout = from.stopTimeout;
      requestLog = from.requestLog;
      tls = from.tls;
    }

    ServerOptions options() {
      return new ServerOptions(
          address,
          connectionsMax,
          bodyBytesMax,
          bodiesBytesMax,
          idleTimeout,
          requestTimeout,
          stopTimeout,
          requestLog,
          tls);
    }
  }
}
