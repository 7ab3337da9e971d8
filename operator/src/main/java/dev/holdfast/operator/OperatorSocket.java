package dev.holdfast.operator;

import dev.holdfast.TimeSource;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.operator.OperatorException.Reason;
import dev.holdfast.spi.LogEvent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;
import org.jspecify.annotations.Nullable;

/**
 * Serves operations to other processes of the same user, on a Unix domain socket in the data
 * directory with mode 0600. Each request is logged, with the user of the other process. One
 * connection is one request; a separate thread serves it, at most {@value #CONNECTIONS_MAX} at
 * once. Thread-safe.
 */
public final class OperatorSocket implements AutoCloseable {

  static final int CONNECTIONS_MAX = 16;

  static final long ACCEPT_PAUSE_NANOS = 100_000_000;

  private static final System.Logger LOG = System.getLogger("dev.holdfast");

  private final Path data;
  private final ServerSocketChannel server;
  private final OperatorService operations;
  private final TimeSource time;
  private final CompletableFuture<Void> closing = new CompletableFuture<>();
  private final Semaphore room = new Semaphore(CONNECTIONS_MAX);
  private final Set<SocketChannel> connections = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  OperatorSocket(
      Path data, ServerSocketChannel server, OperatorService operations, TimeSource time) {
    this.data = data;
    this.server = server;
    this.operations = operations;
    this.time = time;
  }

  /**
   * Opens the socket of a data directory, and begins to serve. A socket that a killed process has
   * left is replaced.
   *
   * @param data the data directory, whose lock the caller holds until after the close
   * @param operations what is served
   * @param time the clock
   * @return the socket
   * @throws DataDirectoryException if the socket cannot be created
   */
  public static OperatorSocket open(Path data, OperatorService operations, TimeSource time) {
    try {
      Path socket = SocketPlace.take(data, elsewhere());
      ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      try {
        server.bind(UnixDomainSocketAddress.of(socket));
        // Until here the mode of its directory has kept other users away.
        Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
      } catch (IOException e) {
        server.close();
        SocketPlace.release(data);
        throw e;
      }
      OperatorSocket opened = new OperatorSocket(data, server, operations, time);
      Thread.ofPlatform().daemon().name("holdfast-operator").start(opened::accept);
      return opened;
    } catch (IOException | UnsupportedOperationException e) {
      throw new DataDirectoryException(
          data,
          "The operator's socket cannot be created ("
              + e.getMessage()
              + "); check the directory, or open the runtime without the socket",
          e);
    }
  }

  private static Path elsewhere() {
    String ofUser = System.getenv("XDG_RUNTIME_DIR");
    Path directory = ofUser == null ? null : Path.of(ofUser);
    return directory != null && Files.isDirectory(directory)
        ? directory
        : Path.of(System.getProperty("java.io.tmpdir", "/tmp"));
  }

  void accept() {
    boolean isReported = false;
    while (!closed) {
      room.acquireUninterruptibly();
      SocketChannel accepted;
      try {
        accepted = server.accept();
        isReported = false;
      } catch (ClosedChannelException e) {
        return;
      } catch (IOException e) {
        room.release();
        LOG.log(
            isReported ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING,
            "The operator's socket of "
                + data
                + " could not accept a connection, and tries again. If files are too many, raise"
                + " the limit of open files of the process.",
            e);
        isReported = true;
        // Such as too many open files: another moment may be better.
        CompletableFuture<Void> later = new CompletableFuture<>();
        time.schedule(ACCEPT_PAUSE_NANOS, () -> later.complete(null));
        CompletableFuture.anyOf(later, closing).join();
        continue;
      }
      connections.add(accepted);
      if (closed) {
        end(accepted);
        return;
      }
      Thread.ofVirtual().name("holdfast-operator-request").start(() -> serve(accepted));
    }
  }

  private void serve(SocketChannel connection) {
    try {
      Frames frames = new Frames(connection);
      Map<?, ? extends @Nullable Object> message = frames.read(Frames.REQUEST_BYTES_MAX);
      Thread serving = Thread.currentThread();
      Thread.ofVirtual().name("holdfast-operator-asker").start(() -> watch(connection, serving));
      frames.write(answered(Messages.request(message), who(connection), frames));
      frames.flush();
    } catch (IOException | UncheckedIOException e) {
      // The other process has ended or sends nonsense; there is no one to answer.
      LOG.log(System.Logger.Level.DEBUG, "A request on the operator's socket was cut off.", e);
    } finally {
      end(connection);
      room.release();
    }
  }

  /**
   * Ends what is done for an asker that has left: it may wait for an object whose turn does not
   * end.
   */
  private static void watch(SocketChannel connection, Thread serving) {
    try {
      if (connection.read(ByteBuffer.allocate(1)) > 0) {
        return; // an asker sends one request only, and this one is still here
      }
    } catch (IOException e) {
      // It has left, or was served.
    }
    serving.interrupt();
  }

  /** Performs a request; returns the last message. */
  private Map<String, @Nullable Object> answered(
      OperatorRequest request, String who, Frames frames) {
    LOG.log(
        LogEvent.OPERATOR_REQUEST.level(),
        LogEvent.OPERATOR_REQUEST.line(who + " asks for: " + request.toLogText()));
    try {
      String note =
          operations.perform(
              request,
              answer -> {
                try {
                  frames.write(Messages.answer(answer));
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      return Messages.end(note);
    } catch (OperatorException e) {
      return Messages.failure(e.reason(), String.valueOf(e.getMessage()));
    } catch (UncheckedIOException e) {
      throw e;
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.WARNING, "The operation " + request.verb() + " failed.", e);
      return Messages.failure(Reason.FAILED, e.toString());
    }
  }

  private static String who(SocketChannel connection) throws IOException {
    try {
      UnixDomainPrincipal peer = connection.getOption(ExtendedSocketOptions.SO_PEERCRED);
      return "user " + peer.user().getName() + ", group " + peer.group().getName() + ",";
    } catch (UnsupportedOperationException e) {
      return "a user that the system does not name";
    }
  }

  private void end(SocketChannel connection) {
    connections.remove(connection);
    try {
      connection.close();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.DEBUG, "A connection of an operator could not be closed.", e);
    }
  }

  /** Stops to serve, cuts off what is being served, and removes the socket. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    closing.complete(null);
    try {
      server.close();
      connections.forEach(this::end);
      SocketPlace.release(data);
    } catch (IOException e) {
      throw new DataDirectoryException(data, "The operator's socket cannot be removed", e);
    }
  }
}
