package dev.holdfast.http.internal.server;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** What comes over a connection: lines and bytes. Owned by the connection's thread. */
final class ConnectionInput {

  private final InputStream in;
  private final byte[] buffer = new byte[4_096];
  private int at;
  private int end;

  ConnectionInput(InputStream in) {
    this.in = in;
  }

  /** {@return whether a byte comes, and not the end} */
  boolean awaitByte() throws IOException {
    return at < end || fill();
  }

  private boolean fill() throws IOException {
    at = 0;
    end = Math.max(0, in.read(buffer));
    return end > 0;
  }

  private int next() throws IOException {
    if (!awaitByte()) {
      throw new EOFException("the connection ends within a request");
    }
    return buffer[at++] & 0xFF;
  }

  /**
   * Reads a line that ends with CR and LF. Nothing else ends one, and nothing else has a CR: where
   * two readers see different lines, one request hides in another.
   *
   * @param bytesMax how long it may be, with its end
   * @param status that of the refusal if it is longer
   * @return the line without its end, a character for each byte
   */
  String line(int bytesMax, int status) throws IOException {
    StringBuilder line = new StringBuilder(80);
    while (true) {
      int c = next();
      if (line.length() + 2 > bytesMax) {
        throw new RefusedRequestException(
            status, "longer than " + Limits.HEAD_BYTES_MAX + " bytes");
      }
      if (c == '\r') {
        if (next() != '\n') {
          throw RefusedRequestException.malformed("a CR without LF");
        }
        return line.toString();
      }
      if (c == '\n' || c == 0) {
        throw RefusedRequestException.malformed("a line that does not end with CR and LF");
      }
      line.append((char) c);
    }
  }

  /** Reads some bytes, at least one; the end of the connection is an error. */
  int read(byte[] into, int from, int length) throws IOException {
    if (at == end && length >= buffer.length) {
      int count = in.read(into, from, length);
      if (count < 0) {
        throw new EOFException("the connection ends within a body");
      }
      return count;
    }
    if (!awaitByte()) {
      throw new EOFException("the connection ends within a body");
    }
    int count = Math.min(length, end - at);
    System.arraycopy(buffer, at, into, from, count);
    at += count;
    return count;
  }

  /** Throws away what still comes, up to a number of bytes or the end. */
  void discard(int bytesMax) throws IOException {
    int discarded = end - at;
    while (discarded < bytesMax && fill()) {
      discarded += end;
    }
    at = end;
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
