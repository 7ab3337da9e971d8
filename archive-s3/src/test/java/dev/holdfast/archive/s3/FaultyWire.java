package dev.holdfast.archive.s3;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A proxy between a client and a server of HTTP/1.1, that does what networks do to requests, in the
 * order of a script; after it, everything works. One request at a time: the server that the tests
 * have behind it looks whether an object exists and then writes it, so two of its writers could
 * both succeed.
 */
final class FaultyWire implements AutoCloseable {

  /** What happens to a request. */
  enum Fault {
    NONE,
    /** The connection ends before the server has the request. */
    CUT_BEFORE,
    /** The server does it, and the connection ends without an answer. */
    CUT_AFTER,
    /** The server does it, and the connection ends within the answer. */
    CUT_WITHIN,
    /** The connection ends at once, and the server gets the request after the next one. */
    LATE,
    /** The server gets it twice; the client gets the second answer. */
    REPEATED,
    /** Not done, and answered with this status. */
    REFUSED_500,
    REFUSED_503,
    REFUSED_412,
    /** Done, and answered with this status. */
    DONE_500,
    DONE_503,
    DONE_412
  }

  private final ServerSocket listener;
  private final int serverPort;
  private final boolean dropsConditions;
  private final Deque<Fault> script = new ArrayDeque<>();
  private String met = "";
  private byte @Nullable [] late;
  private int requests;

  FaultyWire(int serverPort, boolean dropsConditions) throws IOException {
    this.serverPort = serverPort;
    this.dropsConditions = dropsConditions;
    this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofPlatform().daemon().name("wire").start(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  synchronized void then(List<Fault> faults) {
    script.addAll(faults);
  }

  /**
   * The script is for the next requests of one kind; those between them work.
   *
   * @param kind what their first line contains
   */
  synchronized void thenFor(String kind, List<Fault> faults) {
    met = kind;
    script.addAll(faults);
  }

  /** {@return whether all of the script was met} */
  synchronized boolean isDone() {
    return script.isEmpty();
  }

  /** Forgets the rest of the script; a late request arrives. */
  synchronized void settle() throws IOException {
    script.clear();
    met = "";
    deliverLate();
  }

  synchronized int requests() {
    return requests;
  }

  private void accept() {
    while (true) {
      Socket client;
      try {
        client = listener.accept();
      } catch (IOException e) {
        return; // closed
      }
      Thread.ofPlatform().daemon().name("wire-request").start(() -> serve(client));
    }
  }

  private void serve(Socket client) {
    try (client) {
      byte[] request = readRequest(client);
      if (request.length > 0) {
        answer(request, client.getOutputStream());
      }
    } catch (IOException e) {
      // The client sees its connection end.
    }
  }

  private synchronized void answer(byte[] request, OutputStream client) throws IOException {
    requests++;
    boolean isMet = firstLine(request).contains(met);
    Fault fault = script.isEmpty() || !isMet ? Fault.NONE : script.remove();
    byte[] before = late;
    late = null;
    byte[] answer =
        switch (fault) {
          case NONE -> forward(request);
          case REPEATED -> {
            forward(request);
            yield forward(request);
          }
          case CUT_BEFORE -> new byte[0];
          case CUT_AFTER -> {
            forward(request);
            yield new byte[0];
          }
          case CUT_WITHIN -> {
            byte[] whole = forward(request);
            yield Arrays.copyOf(whole, whole.length - Math.max(1, whole.length / 8));
          }
          case LATE -> {
            late = request;
            yield new byte[0];
          }
          case REFUSED_500 -> status(500);
          case REFUSED_503 -> status(503);
          case REFUSED_412 -> status(412);
          case DONE_500, DONE_503, DONE_412 -> {
            forward(request);
            yield status(Integer.parseInt(fault.name().substring(5)));
          }
        };
    if (before != null) {
      forward(before);
    }
    client.write(answer);
    client.flush();
  }

  private static String firstLine(byte[] request) {
    String text = new String(request, ISO_8859_1);
    return text.substring(0, text.indexOf('\r'));
  }

  private void deliverLate() throws IOException {
    if (late != null) {
      forward(late);
      late = null;
    }
  }

  private static byte[] status(int status) {
    return ("HTTP/1.1 " + status + " Fault\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        .getBytes(ISO_8859_1);
  }

  private byte[] forward(byte[] request) throws IOException {
    try (Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort)) {
      server.getOutputStream().write(request);
      server.getOutputStream().flush();
      return server.getInputStream().readAllBytes();
    }
  }

  /** Reads a request, and makes it the last of its connection. */
  private byte[] readRequest(Socket client) throws IOException {
    InputStream in = client.getInputStream();
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    while (!head.toString(ISO_8859_1).endsWith("\r\n\r\n")) {
      int next = in.read();
      if (next < 0) {
        return new byte[0];
      }
      head.write(next);
    }
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    int bodyBytes = 0;
    for (String line : head.toString(ISO_8859_1).strip().split("\r\n")) {
      String field = line.substring(0, Math.max(0, line.indexOf(':'))).toLowerCase(Locale.ROOT);
      String value = line.substring(line.indexOf(':') + 1).strip();
      switch (field) {
        case "connection" -> {}
        case "expect" -> client.getOutputStream().write(continueAnswer());
        case "content-length" -> {
          bodyBytes = Integer.parseInt(value);
          request.write((line + "\r\n").getBytes(ISO_8859_1));
        }
        case "if-none-match" -> {
          if (!dropsConditions) {
            request.write((line + "\r\n").getBytes(ISO_8859_1));
          }
        }
        default -> request.write((line + "\r\n").getBytes(ISO_8859_1));
      }
    }
    request.write("Connection: close\r\n\r\n".getBytes(ISO_8859_1));
    request.write(in.readNBytes(bodyBytes));
    return request.toByteArray();
  }

  private static byte[] continueAnswer() {
    return "HTTP/1.1 100 Continue\r\n\r\n".getBytes(ISO_8859_1);
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
