package dev.holdfast.http.server.site;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Blocker;
import org.eclipse.jetty.util.BufferUtil;
import org.jspecify.annotations.Nullable;

/**
 * Two connections after their upgrade: passes bytes to and from the origin, with a virtual thread
 * for each direction. A direction whose receiver does not read is not read either. Both ends are
 * closed when both directions have ended, or one has failed.
 */
final class WebSocketTunnel {

  private static final int BUFFER_BYTES = 16 * 1_024;

  private final End client;
  private final End origin;
  private final Runnable ended;
  private final AtomicInteger directions = new AtomicInteger(2);
  private final AtomicBoolean isOver = new AtomicBoolean();

  private WebSocketTunnel(Request request, EndPoint toOrigin, Runnable ended) {
    Executor executor = request.getComponents().getExecutor();
    EndPoint toClient = request.getConnectionMetaData().getConnection().getEndPoint();
    this.client = new End(toClient, executor, this::start);
    this.origin = new End(toOrigin, executor, () -> {});
    this.ended = ended;
  }

  /**
   * Lets a tunnel begin when the request is completed.
   *
   * @param toOrigin the connection on which the origin has agreed
   * @param ended runs once, when both ends are closed
   */
  static void begin(Request request, EndPoint toOrigin, Runnable ended) {
    WebSocketTunnel tunnel = new WebSocketTunnel(request, toOrigin, ended);
    toOrigin.upgrade(tunnel.origin);
    request.setAttribute(HttpStream.UPGRADE_CONNECTION_ATTRIBUTE, tunnel.client);
    Request.addCompletionListener(
        request,
        unanswered -> {
          if (unanswered != null) {
            tunnel.end();
          }
        });
  }

  static boolean isAskedFor(Request request) {
    HttpFields headers = request.getHeaders();
    return request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_1_1
        && HttpMethod.GET.is(request.getMethod())
        && "websocket".equalsIgnoreCase(headers.get(HttpHeader.UPGRADE))
        && headers.contains(HttpHeader.CONNECTION, "upgrade")
        && !headers.contains(HttpHeader.TRANSFER_ENCODING)
        && request.getLength() <= 0;
  }

  private void start() {
    start("holdfast-site-up", client, origin);
    start("holdfast-site-down", origin, client);
  }

  private void start(String name, End from, End to) {
    Thread.ofVirtual()
        .name(name)
        .start(
            () -> {
              try {
                from.passTo(to.getEndPoint());
                if (directions.decrementAndGet() == 0) {
                  end();
                }
              } catch (IOException | RuntimeException e) {
                // The other end learns it by the end of its connection.
                end();
              }
            });
  }

  private void end() {
    if (!isOver.getAndSet(true)) {
      client.getEndPoint().close();
      origin.getEndPoint().close();
      ended.run();
    }
  }

  /** One end; what has come together with the head of its message is the first that it passes. */
  private final class End extends AbstractConnection implements Connection.UpgradeTo {

    private final Runnable opened;
    private ByteBuffer first = BufferUtil.EMPTY_BUFFER;

    End(EndPoint endPoint, Executor executor, Runnable opened) {
      super(endPoint, executor);
      this.opened = opened;
    }

    @Override
    public void onUpgradeTo(@Nullable ByteBuffer buffer) {
      if (buffer != null) {
        first = buffer;
      }
    }

    @Override
    public void onOpen() {
      super.onOpen();
      opened.run();
    }

    void passTo(EndPoint other) throws IOException {
      ByteBuffer buffer = first;
      do {
        Content.Sink.write(other, false, buffer);
        buffer = BufferUtil.allocate(BUFFER_BYTES);
      } while (fill(buffer) >= 0);
      other.shutdownOutput();
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

    @Override
    public void onClose(@Nullable Throwable cause) {
      super.onClose(cause);
      end();
    }

    @Override
    public void onFillable() {
      throw new IllegalStateException("each direction waits for itself");
    }
  }
}
