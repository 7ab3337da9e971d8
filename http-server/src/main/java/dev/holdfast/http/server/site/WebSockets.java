package dev.holdfast.http.server.site;

import dev.holdfast.http.server.internal.ServerBounds;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Passes WebSockets of HTTP/1.1: their requests like others, then the bytes of both sides. An
 * answer of the origin other than 101 is passed as it is. Thread-safe.
 */
final class WebSockets {

  private static final int BUFFER_BYTES = 16 * 1_024;

  private final InetSocketAddress origin;
  private final int slowMillis;
  private final Semaphore room = new Semaphore(ServerBounds.SITE_SOCKETS_MAX);

  WebSockets(URI origin, Duration slow) {
    int port = origin.getPort() < 0 ? 80 : origin.getPort();
    this.origin = InetSocketAddress.createUnresolved(origin.getHost(), port);
    this.slowMillis = Math.toIntExact(slow.toMillis());
  }

  /** {@return whether a request asks for a WebSocket} */
  static boolean isAskedFor(Request request) {
    HttpFields headers = request.getHeaders();
    return request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_1_1
        && HttpMethod.GET.is(request.getMethod())
        && "websocket".equalsIgnoreCase(headers.get(HttpHeader.UPGRADE))
        && headers.contains(HttpHeader.CONNECTION, "upgrade")
        && !headers.contains(HttpHeader.TRANSFER_ENCODING)
        && request.getLength() <= 0;
  }

  /**
   * Passes a request for a WebSocket.
   *
   * @param pathQuery the target at the origin
   * @param headers the headers for the origin, without those of one connection
   */
  void pass(
      Request request, String pathQuery, HttpFields headers, Response response, Callback callback) {
    if (!room.tryAcquire()) {
      Response.writeError(request, response, callback, 503);
      return;
    }
    AtomicBoolean isReleased = new AtomicBoolean();
    Runnable ended =
        () -> {
          if (!isReleased.getAndSet(true)) {
            room.release();
          }
        };
    boolean isPassed = false;
    Socket socket = new Socket();
    try {
      socket.connect(new InetSocketAddress(origin.getHostString(), origin.getPort()), slowMillis);
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(slowMillis);
      ask(socket.getOutputStream(), pathQuery, headers);
      Answer answer = new Answer(response);
      ByteBuffer rest = answer.read(socket.getInputStream());
      if (answer.status == 101) {
        socket.setSoTimeout(0);
        Request.addCompletionListener(
            request,
            unanswered -> {
              if (unanswered != null) {
                ended.run();
                close(socket);
              }
            });
        EndPoint client = request.getConnectionMetaData().getConnection().getEndPoint();
        request.setAttribute(
            HttpStream.UPGRADE_CONNECTION_ATTRIBUTE,
            new UpgradedConnection(
                client, request.getComponents().getExecutor(), socket, rest, ended));
        isPassed = true;
      } else {
        Content.Sink.write(response, true, ByteBuffer.allocate(0));
      }
      callback.succeeded();
    } catch (SocketTimeoutException e) {
      fail(request, response, callback, 504, e);
    } catch (IOException e) {
      fail(request, response, callback, 502, e);
    } finally {
      if (!isPassed) {
        ended.run();
        close(socket);
      }
    }
  }

  private static void fail(
      Request request, Response response, Callback callback, int status, IOException failure) {
    if (response.isCommitted()) {
      // A part of the answer has left: the client must see that it is not whole.
      callback.failed(failure);
    } else {
      response.reset();
      Response.writeError(request, response, callback, status);
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It is closed anyway.
      return;
    }
  }

  private static void ask(OutputStream out, String pathQuery, HttpFields headers)
      throws IOException {
    StringBuilder head = new StringBuilder("GET ").append(pathQuery).append(" HTTP/1.1\r\n");
    for (HttpField field : headers) {
      @Nullable String value = field.getValue();
      head.append(field.getName()).append(": ").append(value == null ? "" : value).append("\r\n");
    }
    head.append("Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    out.write(head.toString().getBytes(StandardCharsets.ISO_8859_1));
    out.flush();
  }

  /** Reads the answer of the origin, and writes its head, and its body if there is one. */
  private static final class Answer implements HttpParser.ResponseHandler {

    private final Response response;
    private final HttpFields.Mutable headers = HttpFields.build();
    private int status;
    private boolean isBody;
    private boolean isWhole;
    private @Nullable IOException failure;

    Answer(Response response) {
      this.response = response;
    }

    /**
     * Reads until the answer ends.
     *
     * @return what the origin has sent after it
     */
    ByteBuffer read(InputStream in) throws IOException {
      HttpParser parser = new HttpParser(this, ServerBounds.HEAD_BYTES_MAX, HttpCompliance.RFC7230);
      byte[] bytes = new byte[BUFFER_BYTES];
      while (true) {
        int read = in.read(bytes);
        ByteBuffer buffer = ByteBuffer.wrap(bytes, 0, Math.max(read, 0));
        if (read < 0) {
          if (!isBody) {
            throw new IOException("the origin has closed the connection");
          }
          parser.atEOF();
        }
        do {
          parser.parseNext(buffer);
          if (failure != null) {
            throw failure;
          }
          if (isWhole && isHint()) {
            isWhole = false;
            headers.clear();
            parser.reset();
          }
        } while (buffer.hasRemaining() && !isWhole);
        if (isWhole) {
          return buffer;
        }
        if (read < 0) {
          throw new IOException("the origin has closed the connection");
        }
      }
    }

    /** Whether another answer follows. */
    private boolean isHint() {
      return status < 200 && status != 101;
    }

    @Override
    public void startResponse(HttpVersion version, int code, String reason) {
      status = code;
    }

    @Override
    public void parsedHeader(HttpField field) {
      headers.add(field);
    }

    @Override
    public boolean headerComplete() {
      if (isHint()) {
        return false;
      }
      Set<String> ofThisConnection =
          headers.getCSV(HttpHeader.CONNECTION, false).stream()
              .map(name -> name.toLowerCase(Locale.ROOT))
              .collect(Collectors.toSet());
      response.setStatus(status);
      for (HttpField field : headers) {
        if (!OriginHandler.isOfOneConnection(field)
            && !ofThisConnection.contains(field.getLowerCaseName())) {
          response.getHeaders().add(field);
        }
      }
      if (status == 101) {
        response.getHeaders().put(HttpHeader.CONNECTION, "Upgrade");
        response.getHeaders().put(HttpHeader.UPGRADE, "websocket");
        isWhole = true;
      }
      isBody = true;
      return isWhole;
    }

    @Override
    public boolean content(ByteBuffer content) {
      try {
        Content.Sink.write(response, false, content);
      } catch (IOException e) {
        failure = e;
      }
      return failure != null;
    }

    @Override
    public boolean contentComplete() {
      return false;
    }

    @Override
    public boolean messageComplete() {
      isWhole = true;
      return true;
    }

    @Override
    public void earlyEOF() {
      failure = new IOException("the origin has closed the connection");
    }

    @Override
    public void badMessage(org.eclipse.jetty.http.HttpException refused) {
      failure = new IOException("the answer of the origin cannot be read: " + refused.getReason());
    }
  }
}
