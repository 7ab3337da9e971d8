package dev.holdfast.http.server.internal;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request, of a known length or in chunks. Bytes are charged to the server's budget
 * as they arrive: a client that announces much and sends little holds little. Before {@link #read},
 * nothing is read, and a client that expects {@code 100 Continue} is not asked to send. Owned by
 * the request's thread.
 */
public final class RequestBody {

  private static final int FIRST_BYTES = 8 * 1_024;

  private final Request request;
  private final BodyBudget budget;
  private final long millisMax;
  private final InputStream in;

  /** Whether the request is a stream of HTTP/2, whose end no header announces. */
  private final boolean isStream;

  private boolean isRead;
  private String holder = "";
  private int held;

  RequestBody(Request request, BodyBudget budget, long millisMax) {
    this.request = request;
    this.budget = budget;
    this.millisMax = millisMax;
    this.in = Content.Source.asInputStream(request);
    this.isStream = request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_2;
    this.isRead =
        request.getLength() == 0
            || (request.getLength() < 0
                && !isStream
                && !request.getHeaders().contains(HttpHeader.TRANSFER_ENCODING));
  }

  /** Refuses a body whose end an intermediary could see differently from the library. */
  void check() {
    @Nullable String encoding = request.getHeaders().get(HttpHeader.TRANSFER_ENCODING);
    if (encoding == null) {
      return;
    }
    if (request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_1_0) {
      throw new HttpException.RuntimeException(400, "HTTP/1.0 has no transfer encodings");
    }
    if (!encoding.strip().equalsIgnoreCase("chunked")) {
      throw new HttpException.RuntimeException(501, "only chunked is a known transfer encoding");
    }
  }

  /**
   * Reads the body.
   *
   * @param bytesMax its maximum length
   * @param holder the holder to which it is charged: clients with one credential share one holder's
   *     limit
   * @return the whole body
   * @throws HttpException.RuntimeException if it is longer, malformed or late, or too many bytes of
   *     other bodies are held, by this holder or by all; at most the limit was read
   * @throws IOException if the client is gone
   */
  public byte[] read(int bytesMax, String holder) throws IOException {
    this.holder = holder;
    if (isRead) {
      return new byte[0];
    }
    if (request.getLength() > bytesMax) {
      throw tooLong(bytesMax);
    }
    return inTime(() -> all(bytesMax));
  }

  private byte[] all(int bytesMax) throws IOException {
    // For a body of unknown length, one byte above the maximum is sufficient.
    long total = request.getLength() < 0 ? bytesMax + 1L : request.getLength();
    byte[] body = new byte[0];
    int length = 0;
    while (length < total) {
      if (length == body.length) {
        body = longer(body, total);
      }
      int count = in.read(body, length, body.length - length);
      if (count < 0) {
        break;
      }
      length += count;
      if (length > bytesMax) {
        throw tooLong(bytesMax);
      }
    }
    // The library treats a request as complete only when notified.
    isRead = in.read() < 0;
    return length == body.length ? body : Arrays.copyOf(body, length);
  }

  /** Grows the array step by step, not to the announced length at once. */
  private byte[] longer(byte[] body, long total) {
    int bytes = (int) Math.min(Math.max(FIRST_BYTES, body.length), total - body.length);
    if (!budget.tryTake(holder, bytes)) {
      throw new HttpException.RuntimeException(429, "too many bodies at once");
    }
    held += bytes;
    return Arrays.copyOf(body, body.length + bytes);
  }

  @FunctionalInterface
  private interface Reading {
    byte[] read() throws IOException;
  }

  /** The library's own time-out applies to each read; this one applies to all reads together. */
  private byte[] inTime(Reading reading) throws IOException {
    Scheduler.Task late =
        request
            .getComponents()
            .getScheduler()
            .schedule(
                () -> request.fail(new TimeoutException("the body comes too slowly")),
                millisMax,
                TimeUnit.MILLISECONDS);
    try {
      return reading.read();
    } catch (IOException | RuntimeException failed) {
      throw gone(failed);
    } finally {
      late.cancel();
    }
  }

  /**
   * {@return that the client is gone}
   *
   * @throws HttpException.RuntimeException if it can receive a refusal instead
   */
  private static IOException gone(Exception failed) {
    for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
      if (cause instanceof TimeoutException) {
        throw new HttpException.RuntimeException(408, "the body comes too slowly");
      }
      if (cause instanceof HttpException malformed) {
        throw new HttpException.RuntimeException(malformed.getCode(), malformed.getReason());
      }
    }
    return failed instanceof IOException gone ? gone : new IOException(failed);
  }

  private static HttpException.RuntimeException tooLong(int bytesMax) {
    return new HttpException.RuntimeException(
        413, "The body is longer than " + bytesMax + " bytes");
  }

  /** {@return whether another request can follow on the connection, after {@link #discard}} */
  boolean canBeSkipped() {
    // An expected body comes only if requested; a chunked body may have any length.
    return isRead
        || isStream
        || (request.getLength() >= 0
            && request.getLength() <= ServerBounds.SHORT_BODY_BYTES_MAX
            && !request.getHeaders().contains(HttpHeader.EXPECT));
  }

  /**
   * Reads and discards the rest of the body, so that the next request can follow, or the client can
   * read its answer: it might not if the connection were closed while data still arrives.
   */
  void discard() throws IOException {
    if (isRead || request.getHeaders().contains(HttpHeader.EXPECT)) {
      return;
    }
    inTime(
        () -> {
          byte[] discarded = new byte[FIRST_BYTES];
          int count = 0;
          for (int total = 0;
              count >= 0 && total < ServerBounds.DISCARDED_BYTES_MAX;
              total += count) {
            count = in.read(discarded);
          }
          return discarded;
        });
  }

  /** Releases the bytes held for the body. */
  void release() {
    budget.release(holder, held);
    held = 0;
  }
}
