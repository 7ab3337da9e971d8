package dev.holdfast.http.server;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * A client of HTTP/2 that sends one request with fields that are written byte by byte, and reads
 * only the status of the answer.
 */
final class RawHttp2 {

  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int SETTINGS = 4;
  private static final int GOAWAY = 7;
  private static final int CONTINUATION = 9;
  private static final int RESET = 3;
  private static final int END_STREAM = 1;
  private static final int END_HEADERS = 4;
  private static final int FRAME_BYTES_MAX = 16_384;

  /** The statuses that the static table of HPACK has, from its index 8. */
  private static final List<Integer> STATUSES = List.of(200, 204, 206, 304, 400, 404, 500);

  private RawHttp2() {}

  /** A field of a request; those of the request line have names that begin with a colon. */
  record Field(String name, String value) {}

  /** Sends a request and returns its status; 0 if the server has refused the frames. */
  static int send(InetSocketAddress server, SSLContext tls, List<Field> fields, byte[] body)
      throws IOException {
    return send(server, tls, fields, body, List.of());
  }

  /** The same with trailers, after a body that is not empty. */
  static int send(
      InetSocketAddress server,
      SSLContext tls,
      List<Field> fields,
      byte[] body,
      List<Field> trailers)
      throws IOException {
    try (SSLSocket socket =
        (SSLSocket) tls.getSocketFactory().createSocket(server.getAddress(), server.getPort())) {
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setApplicationProtocols(new String[] {"h2"});
      socket.setSSLParameters(parameters);
      socket.startHandshake();
      OutputStream out = socket.getOutputStream();
      out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      frame(out, SETTINGS, 0, 0, new byte[0]);
      byte[] block = block(fields);
      int type = HEADERS;
      for (int at = 0; at < block.length; at += FRAME_BYTES_MAX) {
        int length = Math.min(FRAME_BYTES_MAX, block.length - at);
        byte[] part = java.util.Arrays.copyOfRange(block, at, at + length);
        int flags = at + length == block.length ? END_HEADERS : 0;
        frame(out, type, flags | (type == HEADERS && body.length == 0 ? END_STREAM : 0), 1, part);
        type = CONTINUATION;
      }
      if (body.length > 0) {
        frame(out, DATA, trailers.isEmpty() ? END_STREAM : 0, 1, body);
      }
      if (!trailers.isEmpty()) {
        frame(out, HEADERS, END_HEADERS | END_STREAM, 1, block(trailers));
      }
      out.flush();
      return status(new DataInputStream(socket.getInputStream()));
    }
  }

  private static int status(DataInputStream in) throws IOException {
    while (true) {
      int length = (in.readUnsignedByte() << 16) | in.readUnsignedShort();
      int type = in.readUnsignedByte();
      in.readUnsignedByte();
      in.readInt();
      byte[] payload = in.readNBytes(length);
      if (type == RESET || type == GOAWAY) {
        return 0;
      }
      if (type == HEADERS) {
        return status(payload);
      }
    }
  }

  /** The first field of an answer: indexed, or a literal with the name of an index. */
  private static int status(byte[] payload) {
    int at = 0;
    while ((payload[at] & 0xE0) == 0x20) { // a new size of the table
      boolean isLong = (payload[at++] & 31) == 31;
      while (isLong) {
        isLong = payload[at++] < 0;
      }
    }
    int first = payload[at] & 255;
    if (first >= 0x80) {
      return STATUSES.get((first & 0x7F) - 8);
    }
    boolean isHuffman = (payload[at + 1] & 0x80) != 0;
    int length = payload[at + 1] & 0x7F;
    if (!isHuffman) {
      return Integer.parseInt(new String(payload, at + 2, length, StandardCharsets.US_ASCII));
    }
    // The codes of the digits 0, 1 and 2 have 5 bits, those of 3 to 9 have 6.
    long bits = 0;
    for (int i = 0; i < length; i++) {
      bits = (bits << 8) | (payload[at + 2 + i] & 255);
    }
    int left = length * 8;
    int status = 0;
    for (int digit = 0; digit < 3; digit++) {
      int five = (int) (bits >> (left - 5)) & 31;
      if (five < 3) {
        status = status * 10 + five;
        left -= 5;
      } else {
        status = status * 10 + ((int) (bits >> (left - 6)) & 63) - 0x19 + 3;
        left -= 6;
      }
    }
    return status;
  }

  private static byte[] block(List<Field> fields) throws IOException {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    for (Field field : fields) {
      block.write(0); // a literal that no table keeps
      string(block, field.name());
      string(block, field.value());
    }
    return block.toByteArray();
  }

  private static void string(ByteArrayOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    if (bytes.length < 127) {
      out.write(bytes.length);
    } else {
      out.write(127);
      int rest = bytes.length - 127;
      for (; rest >= 128; rest >>= 7) {
        out.write(rest & 127 | 128);
      }
      out.write(rest);
    }
    out.write(bytes);
  }

  private static void frame(OutputStream out, int type, int flags, int stream, byte[] payload)
      throws IOException {
    out.write(payload.length >> 16);
    out.write(payload.length >> 8);
    out.write(payload.length);
    out.write(type);
    out.write(flags);
    out.write(new byte[] {0, 0, 0, (byte) stream});
    out.write(payload);
  }
}
