package dev.holdfast.http.internal.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Accepts connections, each of which gets a virtual thread, and closes those that are late.
 * Thread-safe.
 */
public final class Listener implements AutoCloseable {

  private static final int BACKLOG = 1_024;
  private static final Duration AFTER_ERROR = Duration.ofMillis(100);

  private final ServerSocket server;
  private final Limits limits;
  private final Handler handler;
  private final ReplyWriter writer;
  private final Semaphore places;
  private final Semaphore budget;
  private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("holdfast-http-", 0).factory());
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("holdfast-http-clock").factory());

  /** Seconds since the start; written only by the clock. */
  private volatile long seconds;

  private volatile boolean isStopping;

  /** Null for one whose seconds do not pass by themselves. */
  private volatile @Nullable ScheduledFuture<?> ticks;

  private Listener(ServerSocket server, Limits limits, Handler handler, InstantSource time) {
    this.server = server;
    this.limits = limits;
    this.handler = handler;
    this.writer = new ReplyWriter(time);
    this.places = new Semaphore(limits.connections());
    this.budget = new Semaphore(limits.bodiesBytes());
  }

  /**
   * Binds a socket, which {@link #start} then listens on.
   *
   * @param address where; port 0 for any free one
   * @return the socket
   * @throws IOException if the address cannot be had
   */
  public static ServerSocket bind(InetSocketAddress address) throws IOException {
    ServerSocket server = new ServerSocket();
    try {
      server.setReuseAddress(true);
      server.bind(address, BACKLOG);
      return server;
    } catch (IOException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  /**
   * Starts to accept connections.
   *
   * @param server where from; owned by the listener
   * @param limits what it holds for its clients
   * @param handler what answers
   * @param time dates answers
   * @return the listener
   */
  public static Listener start(
      ServerSocket server, Limits limits, Handler handler, InstantSource time) {
    Listener listener = startWithoutClock(server, limits, handler, time);
    listener.ticks = listener.clock.scheduleAtFixedRate(listener::tick, 1, 1, TimeUnit.SECONDS);
    return listener;
  }

  /** Starts one whose seconds pass when {@link #tick} is called. */
  static Listener startWithoutClock(
      ServerSocket server, Limits limits, Handler handler, InstantSource time) {
    Listener listener = new Listener(server, limits, handler, time);
    Thread.ofPlatform().daemon().name("holdfast-http").start(listener::acceptAll);
    return listener;
  }

  private void acceptAll() {
    while (!isStopping) {
      places.acquireUninterruptibly();
      try {
        serve(new Connection(this, server.accept()));
      } catch (IOException e) {
        places.release();
        if (!isStopping) {
          // Such as too many open files: some time later the next one may fare better.
          System.getLogger("dev.holdfast.http").log(Level.WARNING, "cannot accept", e);
          LockSupport.parkNanos(AFTER_ERROR.toNanos());
        }
      }
    }
  }

  private void serve(Connection connection) {
    connections.add(connection);
    try {
      threads.execute(connection);
    } catch (RejectedExecutionException stopping) {
      connection.close();
      ended(connection);
    }
  }

  void ended(Connection connection) {
    connections.remove(connection);
    places.release();
  }

  /** A second has passed. */
  void tick() {
    long now = seconds + 1;
    seconds = now;
    for (Connection connection : connections) {
      if (connection.isOver(now)) {
        connection.close();
      }
    }
  }

  /** {@return when a number of whole seconds will have passed} */
  long deadline(int inSeconds) {
    return seconds + inSeconds + 1;
  }

  Limits limits() {
    return limits;
  }

  Handler handler() {
    return handler;
  }

  ReplyWriter writer() {
    return writer;
  }

  Semaphore budget() {
    return budget;
  }

  boolean isStopping() {
    return isStopping;
  }

  /** Takes no new requests, lets those in flight end for a while, and closes what is left. */
  @Override
  public void close() {
    isStopping = true;
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    connections.stream().filter(Connection::isIdle).forEach(Connection::close);
    threads.shutdown();
    try {
      if (!threads.awaitTermination(limits.stopSeconds(), TimeUnit.SECONDS)) {
        connections.forEach(Connection::close);
      }
    } catch (InterruptedException e) {
      connections.forEach(Connection::close);
      Thread.currentThread().interrupt();
    } finally {
      ScheduledFuture<?> ticking = ticks;
      if (ticking != null) {
        ticking.cancel(false);
      }
      clock.shutdownNow();
      threads.close();
    }
  }
}
