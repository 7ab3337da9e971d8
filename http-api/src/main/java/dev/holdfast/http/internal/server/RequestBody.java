package dev.holdfast.http.internal.server;

import static dev.holdfast.http.internal.server.RefusedRequestException.malformed;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * The body of a request, of a known length or in chunks. What arrives is counted against what a
 * listener may hold, as it arrives: a client that announces much and sends little holds little.
 * Owned by the connection's thread.
 */
public final class RequestBody {

  private static final int FIRST_BYTES = 8 * 1_024;
  private static final int SHORT_BYTES_MAX = 64 * 1_024;
  private static final int DIGITS_MAX = 9;
  private static final byte[] CONTINUE = ConnectionInput.bytes("HTTP/1.1 100 Continue\r\n\r\n");

  private final ConnectionInput in;
  private final OutputStream out;
  private final Semaphore budget;
  private final boolean isChunked;
  private final boolean isAwaited;
  private final Runnable whenRead;

  /** Of the body if its length is known, else of the chunk. */
  private long rest;

  private boolean isRead;
  private int chunks;
  private int held;

  private RequestBody(
      ConnectionInput in,
      OutputStream out,
      Semaphore budget,
      boolean isChunked,
      boolean isAwaited,
      long rest,
      Runnable whenRead) {
    this.in = in;
    this.whenRead = whenRead;
    this.out = out;
    this.budget = budget;
    this.isChunked = isChunked;
    this.isAwaited = isAwaited;
    this.rest = rest;
    this.isRead = !isChunked && rest == 0;
  }

  static RequestBody of(
      RequestHead head, ConnectionInput in, OutputStream out, Semaphore budget, Runnable whenRead)
      throws RefusedRequestException {
    List<String> encodings = head.headers().getOrDefault("transfer-encoding", List.of());
    List<String> lengths = head.headers().getOrDefault("content-length", List.of());
    if (!encodings.isEmpty() && (!lengths.isEmpty() || head.isOld())) {
      // Who stands between could have seen another end of the body than this.
      throw malformed("a body with two lengths");
    }
    if (!encodings.isEmpty() && !head.header("transfer-encoding").equalsIgnoreCase("chunked")) {
      throw new RefusedRequestException(501, "only chunked is a known transfer encoding");
    }
    long length = 0;
    if (!lengths.isEmpty()) {
      String text = head.header("content-length");
      if (!text.matches("[0-9]+")) {
        throw malformed("Content-Length is not one number");
      }
      String digits = text.replaceFirst("^0+(?=.)", "");
      length = digits.length() > DIGITS_MAX ? Long.MAX_VALUE : Long.parseLong(digits);
    }
    List<String> expected = head.headers().getOrDefault("expect", List.of());
    boolean awaited = head.lists("expect", "100-continue");
    if (!expected.isEmpty() && !awaited) {
      throw new RefusedRequestException(417, "only 100-continue can be expected");
    }
    return new RequestBody(in, out, budget, !encodings.isEmpty(), awaited, length, whenRead);
  }

  /**
   * Reads the body.
   *
   * @param bytesMax how long it may be
   * @return the whole body
   * @throws RefusedRequestException if it is longer or malformed, or too much of other bodies is
   *     held; no more than the limit was read
   * @throws IOException if the client is gone
   */
  public byte[] read(int bytesMax) throws IOException {
    if (!isChunked && rest > bytesMax) {
      throw tooLong(bytesMax);
    }
    if (isRead) {
      return new byte[0];
    }
    if (isAwaited) {
      out.write(CONTINUE);
      out.flush();
    }
    byte[] body = new byte[0];
    int length = 0;
    while (isChunked ? nextChunk() : rest > 0) {
      if (rest > bytesMax - length) {
        throw tooLong(bytesMax);
      }
      while (rest > 0) {
        if (length == body.length) {
          body = longer(body);
        }
        int count = in.read(body, length, (int) Math.min(rest, body.length - length));
        length += count;
        rest -= count;
      }
    }
    isRead = true;
    whenRead.run();
    return length == body.length ? body : Arrays.copyOf(body, length);
  }

  /** Not all at once that was announced. */
  private byte[] longer(byte[] body) throws RefusedRequestException {
    int bytes = Math.max(FIRST_BYTES, body.length);
    if (!isChunked) {
      bytes = (int) Math.min(rest, bytes);
    }
    if (!budget.tryAcquire(bytes)) {
      throw new RefusedRequestException(429, "too many bodies at once");
    }
    held += bytes;
    return Arrays.copyOf(body, body.length + bytes);
  }

  /** Reads the line before a chunk, or all that follows the last one. */
  private boolean nextChunk() throws IOException {
    if (chunks++ > 0 && !in.line(2, 400).isEmpty()) {
      throw malformed("a chunk is longer than it says");
    }
    String line = in.line(1_024, 400);
    String size = line.split(";", 2)[0].strip();
    if (!size.matches("[0-9A-Fa-f]{1,15}")) {
      throw malformed("a chunk without its size");
    }
    rest = Long.parseLong(size, 16);
    if (rest > 0) {
      return true;
    }
    for (int i = 0; i <= Limits.HEADERS_MAX; i++) {
      if (in.line(Limits.HEAD_BYTES_MAX, 431).isEmpty()) {
        return false;
      }
    }
    throw new RefusedRequestException(431, "more than " + Limits.HEADERS_MAX + " trailers");
  }

  private static RefusedRequestException tooLong(int bytesMax) {
    return new RefusedRequestException(413, "The body is longer than " + bytesMax + " bytes");
  }

  /** {@return whether the next request begins where the reading stands} */
  boolean isRead() {
    return isRead;
  }

  /** {@return whether reading what is left costs less than a new connection} */
  boolean isShort() {
    return !isChunked && !isAwaited && rest <= SHORT_BYTES_MAX;
  }

  /** Reads what nobody wanted, so that the next request can follow. */
  void skip() throws IOException {
    read(SHORT_BYTES_MAX);
    release();
  }

  /** Gives back what was held for the body. */
  void release() {
    budget.release(held);
    held = 0;
  }
}
