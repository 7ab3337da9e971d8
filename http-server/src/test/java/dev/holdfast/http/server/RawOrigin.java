package dev.holdfast.http.server;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A site that is written byte by byte: each path has its answer, and each connection one request.
 */
final class RawOrigin implements AutoCloseable {

  private final ServerSocket server;
  private final Map<String, Answer> answers = new ConcurrentHashMap<>();
  private volatile Answer other =
      (head, in, out) -> {
        throw new IllegalStateException("no answer to " + head);
      };

  /** Answers one request; the connection ends when it returns. */
  interface Answer {
    void answer(String head, InputStream in, OutputStream out) throws IOException;
  }

  RawOrigin() throws IOException {
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return server.getLocalPort();
  }

  void on(String path, Answer answer) {
    answers.put(path, answer);
  }

  /** Sets the answer to all other paths. */
  void onAll(Answer answer) {
    other = answer;
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket socket = server.accept();
        Thread.ofVirtual().start(() -> serve(socket));
      } catch (IOException e) {
        // It is closed, or a connection ended before it was accepted.
        continue;
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      InputStream in = new BufferedInputStream(socket.getInputStream());
      String head = head(in);
      String path = head.split(" ", 3)[1];
      answers.getOrDefault(path, other).answer(head, in, socket.getOutputStream());
    } catch (EOFException e) {
      // A connection that was made for a request that never came.
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads up to the empty line. */
  static String head(InputStream in) throws IOException {
    return until(in, "\r\n\r\n");
  }

  /**
   * Reads one chunk of a body; empty for the last one, without its trailers. The end of the line
   * after a chunk may come with the next one.
   */
  static String chunk(InputStream in) throws IOException {
    String line = until(in, "\r\n").strip();
    if (line.isEmpty()) {
      line = until(in, "\r\n").strip();
    }
    return new String(in.readNBytes(Integer.parseInt(line, 16)), StandardCharsets.ISO_8859_1);
  }

  static String until(InputStream in, String end) throws IOException {
    StringBuilder read = new StringBuilder();
    while (read.length() < end.length() || read.indexOf(end, read.length() - end.length()) < 0) {
      int next = in.read();
      if (next < 0) {
        throw new EOFException("ended after: " + read);
      }
      read.append((char) next);
    }
    return read.toString();
  }

  static void write(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    out.flush();
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
