package dev.holdfast.http.server.internal;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;

/** A client that sends bytes as they are, and reads answers one after the other. */
public final class RawClient implements AutoCloseable {

  private static final int PATIENCE_MILLIS = 300_000;

  private final Socket socket = new Socket();
  private final InputStream in;

  /** Connects to a server. */
  public RawClient(InetSocketAddress server) throws IOException {
    socket.connect(server);
    socket.setSoTimeout(PATIENCE_MILLIS);
    in = new BufferedInputStream(socket.getInputStream());
  }

  /** Sends text as it is, a byte for each character. */
  public RawClient send(String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    return this;
  }

  /** Sends lines, {@code ~} for the end of each. */
  public RawClient lines(String lines) throws IOException {
    return send(lines.replace("~", "\r\n"));
  }

  /** {@return the head of the next answer with its body, as it came} */
  public String answer() throws IOException {
    String text = head();
    int length = text.indexOf("Content-Length: ");
    if (length < 0) {
      return text;
    }
    int bytes = Integer.parseInt(text.substring(length + 16, text.indexOf('\r', length)));
    return text + new String(in.readNBytes(bytes), StandardCharsets.UTF_8);
  }

  /** {@return whether something of an answer has come} */
  public boolean hasAnswer() {
    try {
      return in.available() > 0;
    } catch (IOException closed) {
      return true;
    }
  }

  /** {@return the head of the next answer, which has no body} */
  public String head() throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int c = in.read();
      if (c < 0) {
        throw new EOFException("closed after " + head);
      }
      head.append((char) c);
    }
    return head.toString();
  }

  /** Says that nothing more comes. */
  public void endOutput() throws IOException {
    socket.shutdownOutput();
  }

  /** {@return everything until the server closes the connection} */
  public String rest() throws IOException {
    return new String(in.readAllBytes(), StandardCharsets.UTF_8);
  }

  /** {@return whether the server has closed the connection, waiting for it} */
  public boolean isClosed() throws IOException {
    try {
      return in.read() < 0;
    } catch (SocketException reset) {
      return true;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
