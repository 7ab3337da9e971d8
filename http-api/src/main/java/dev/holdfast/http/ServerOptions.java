package dev.holdfast.http;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * How the server behaves. Immutable; change with the {@code with} methods.
 *
 * @param address where it listens; port 0 takes any free one
 * @param bodyBytesMax how long the body of a request may be
 * @param stopTimeout how long {@link HttpApiServer#close} waits for requests in flight
 * @param requestLog gets a line for each request, in the threads that answer them
 */
public record ServerOptions(
    InetSocketAddress address,
    int bodyBytesMax,
    Duration stopTimeout,
    Consumer<String> requestLog) {

  /** Loopback, any port, bodies of at most 1 MiB, 5 seconds to stop, no request log. */
  public static final ServerOptions DEFAULT =
      new ServerOptions(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
          1 << 20,
          Duration.ofSeconds(5),
          line -> {});

  /**
   * {@return these options with another address}
   *
   * @param other where to listen
   */
  public ServerOptions withAddress(InetSocketAddress other) {
    return new ServerOptions(other, bodyBytesMax, stopTimeout, requestLog);
  }

  /**
   * {@return these options with another request log}
   *
   * @param log gets a line for each request; thread-safe
   */
  public ServerOptions withRequestLog(Consumer<String> log) {
    return new ServerOptions(address, bodyBytesMax, stopTimeout, log);
  }
}
