package dev.holdfast.benchmarks.compare.server;

import dev.holdfast.benchmarks.compare.Session;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * A client of a server that keeps values behind HTTP/1.1, on one connection. Not a client library:
 * caller and server share the processors here, and what a full client does for a request costs as
 * much as the fastest servers need to answer it.
 */
final class HttpSession implements Session {

  private final Requests requests;
  private final Socket socket;
  private final InputStream in;

  /** The requests of a server. */
  interface Requests {

    /** {@return the request that writes} */
    Request put(String object, String value);

    /** {@return the request that reads} */
    Request get(String object);
  }

  /**
   * A request.
   *
   * @param method the method
   * @param path the path
   * @param type the media type of the body; empty for no body
   * @param body the body
   */
  record Request(String method, String path, String type, String body) {}

  HttpSession(int port, Requests requests) throws IOException {
    this.requests = requests;
    this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    this.in = new BufferedInputStream(socket.getInputStream());
  }

  @Override
  public void put(String object, byte[] value) throws IOException {
    send(requests.put(object, new String(value, StandardCharsets.ISO_8859_1)));
  }

  @Override
  public int read(String object) throws IOException {
    String body = send(requests.get(object));
    return body.startsWith("\"") ? body.length() - 2 : body.length();
  }

  private String send(Request request) throws IOException {
    StringBuilder head = new StringBuilder(256);
    head.append(request.method()).append(' ').append(request.path()).append(" HTTP/1.1\r\n");
    head.append("Host: 127.0.0.1\r\n");
    if (!request.type().isEmpty()) {
      head.append("Content-Type: ").append(request.type()).append("\r\n");
      head.append("Content-Length: ").append(request.body().length()).append("\r\n");
    }
    head.append("\r\n").append(request.body());
    socket.getOutputStream().write(head.toString().getBytes(StandardCharsets.ISO_8859_1));
    return answer(request);
  }

  private String answer(Request request) throws IOException {
    String status = line();
    int length = -1;
    for (String line = line(); !line.isEmpty(); line = line()) {
      String lower = line.toLowerCase(Locale.ROOT);
      if (lower.startsWith("content-length:")) {
        length = Integer.parseInt(line.substring(line.indexOf(':') + 1).strip());
      }
    }
    if (length < 0) {
      throw new IOException(request.path() + " was answered without a length: " + status);
    }
    String body = new String(in.readNBytes(length), StandardCharsets.UTF_8);
    if (!status.startsWith("HTTP/1.1 20")) {
      throw new IOException(request.path() + " was answered " + status + " " + body);
    }
    return body;
  }

  private String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream(64);
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new IOException("The server has closed the connection");
      }
      if (next != '\r') {
        line.write(next);
      }
    }
    return line.toString(StandardCharsets.ISO_8859_1);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
