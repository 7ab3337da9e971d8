package dev.holdfast.http;

import dev.holdfast.http.internal.server.Limits;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * How the server behaves. Immutable; change with the {@code with} methods.
 *
 * @param address where it listens; port 0 takes any free one
 * @param connectionsMax how many connections it has at once; each more closes the oldest that has
 *     no request
 * @param bodyBytesMax how long the body of a request may be
 * @param bodiesBytesMax how long the bodies of all requests together may be that are in flight; a
 *     credential has at most as much of it as is left for all others. What is beyond is answered
 *     with the status 429. Answers that are not read yet may be four times as long, by the same
 *     rule
 * @param idleTimeout how long a connection is kept without a request, and without taking anything
 *     of an answer
 * @param requestTimeout how long a body may take to arrive; a head that drips in has up to three
 *     times as long
 * @param stopTimeout how long {@link HttpApiServer#close} waits for requests in flight
 * @param requestLog gets a line for each request, in the threads that answer them
 */
public record ServerOptions(
    InetSocketAddress address,
    int connectionsMax,
    int bodyBytesMax,
    int bodiesBytesMax,
    Duration idleTimeout,
    Duration requestTimeout,
    Duration stopTimeout,
    Consumer<String> requestLog) {

  /**
   * Loopback, any port, 4,096 connections, bodies of at most 1 MiB each and 32 MiB together, 60
   * seconds between requests and 30 for one, 5 seconds to stop, no request log.
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
          line -> {});

  /**
   * {@return these options with another address}
   *
   * @param other where to listen
   */
  public ServerOptions withAddress(InetSocketAddress other) {
    return new ServerOptions(
        other,
        connectionsMax,
        bodyBytesMax,
        bodiesBytesMax,
        idleTimeout,
        requestTimeout,
        stopTimeout,
        requestLog);
  }

  /**
   * {@return these options with another number of connections}
   *
   * @param max how many at once, 1 or more
   */
  public ServerOptions withConnections(int max) {
    return new ServerOptions(
        address,
        max,
        bodyBytesMax,
        bodiesBytesMax,
        idleTimeout,
        requestTimeout,
        stopTimeout,
        requestLog);
  }

  /**
   * {@return these options with other limits of bodies}
   *
   * @param bytesMax of one request
   * @param allBytesMax of all requests in flight together
   */
  public ServerOptions withBodies(int bytesMax, int allBytesMax) {
    return new ServerOptions(
        address,
        connectionsMax,
        bytesMax,
        allBytesMax,
        idleTimeout,
        requestTimeout,
        stopTimeout,
        requestLog);
  }

  /**
   * {@return these options with other times}
   *
   * @param idle how long a connection is kept without a request
   * @param request how long a body may take to arrive
   * @param stop how long closing waits for requests in flight
   */
  public ServerOptions withTimeouts(Duration idle, Duration request, Duration stop) {
    return new ServerOptions(
        address, connectionsMax, bodyBytesMax, bodiesBytesMax, idle, request, stop, requestLog);
  }

  /**
   * {@return these options with another request log}
   *
   * @param log gets a line for each request; thread-safe
   */
  public ServerOptions withRequestLog(Consumer<String> log) {
    return new ServerOptions(
        address,
        connectionsMax,
        bodyBytesMax,
        bodiesBytesMax,
        idleTimeout,
        requestTimeout,
        stopTimeout,
        log);
  }

  Limits limits() {
    return new Limits(connectionsMax, bodiesBytesMax, idleTimeout, requestTimeout, stopTimeout);
  }
}
