package dev.holdfast.http.server.site;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.Blocker;
import org.jspecify.annotations.Nullable;

/**
 * A connection of a client after its upgrade: passes bytes to and from the origin, with a virtual
 * thread for each direction. A direction whose receiver does not read is not read either. Both ends
 * are closed when both directions have ended, or one has failed; the idle time of the client's
 * connection counts for both.
 */
final class UpgradedConnection extends AbstractConnection implements Connection.UpgradeTo {

  private static final int BUFFER_BYTES = 16 * 1_024;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final Socket origin;
  private final ByteBuffer firstFromOrigin;
  private final Runnable ended;
  private final AtomicInteger directions = new AtomicInteger(2);
  private ByteBuffer firstFromClient = NOTHING;

  /**
   * Creates a connection that begins with its upgrade.
   *
   * @param firstFromOrigin what the origin sent together with its answer
   * @param ended runs once, when both ends are closed
   */
  UpgradedConnection(
      EndPoint client,
      Executor executor,
      Socket origin,
      ByteBuffer firstFromOrigin,
      Runnable ended) {
    super(client, executor);
    this.origin = origin;
    this.firstFromOrigin = firstFromOrigin;
    this.ended = ended;
  }

  @Override
  public void onUpgradeTo(@Nullable ByteBuffer buffer) {
    if (buffer != null) {
      firstFromClient = buffer;
    }
  }

  @Override
  public void onOpen() {
    super.onOpen();
    start("holdfast-site-up", this::toOrigin);
    start("holdfast-site-down", this::toClient);
  }

  /** One direction. */
  private interface Direction {
    void pass() throws IOException;
  }

  private void start(String name, Direction direction) {
    Thread.ofVirtual()
        .name(name)
        .start(
            () -> {
              try {
                direction.pass();
                if (directions.decrementAndGet() == 0) {
                  end();
                }
              } catch (IOException | RuntimeException e) {
                // One end is gone or was silent for too long; its other end has nobody to talk to.
                end();
              }
            });
  }

  private void toOrigin() throws IOException {
    byte[] bytes = new byte[BUFFER_BYTES];
    ByteBuffer buffer = firstFromClient;
    while (true) {
      while (buffer.hasRemaining()) {
        int length = Math.min(bytes.length, buffer.remaining());
        buffer.get(bytes, 0, length);
        origin.getOutputStream().write(bytes, 0, length);
      }
      // The library's buffers begin empty, and in the mode for reading.
      buffer = ByteBuffer.allocate(BUFFER_BYTES).limit(0);
      int filled = fill(buffer);
      if (filled < 0) {
        origin.shutdownOutput();
        return;
      }
    }
  }

  private int fill(ByteBuffer buffer) throws IOException {
    int filled = getEndPoint().fill(buffer);
    while (filled == 0) {
      try (Blocker.Callback readable = Blocker.callback()) {
        getEndPoint().fillInterested(readable);
        readable.block();
      }
      filled = getEndPoint().fill(buffer);
    }
    return filled;
  }

  private void toClient() throws IOException {
    write(firstFromOrigin);
    byte[] bytes = new byte[BUFFER_BYTES];
    InputStream in = origin.getInputStream();
    for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
      write(ByteBuffer.wrap(bytes, 0, read));
    }
    getEndPoint().shutdownOutput();
  }

  private void write(ByteBuffer bytes) throws IOException {
    try (Blocker.Callback written = Blocker.callback()) {
      getEndPoint().write(written, bytes);
      written.block();
    }
  }

  private void end() {
    getEndPoint().close();
    closeOrigin();
  }

  @Override
  public void onClose(@Nullable Throwable cause) {
    super.onClose(cause);
    closeOrigin();
    ended.run();
  }

  private void closeOrigin() {
    try {
      origin.close();
    } catch (IOException e) {
      // It is closed anyway.
      return;
    }
  }

  @Override
  public void onFillable() {
    throw new IllegalStateException("each direction waits for itself");
  }
}
