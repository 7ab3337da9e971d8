package dev.holdfast.http.server.site;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Blocker;
import org.jspecify.annotations.Nullable;

/**
 * A request whose body was read from the beginning, for the firewall, and begins again for the
 * site.
 */
final class ReplayedRequest extends BegunRequest {

  private final ByteBuffer beginning;
  private final boolean isCut;

  private ReplayedRequest(Request wrapped, ByteBuffer beginning, boolean isCut) {
    super(wrapped, Content.Chunk.from(beginning.duplicate(), !isCut));
    this.beginning = beginning;
    this.isCut = isCut;
  }

  /**
   * Reads the beginning of the body of a request.
   *
   * @throws IOException if the client is gone or too slow
   */
  static ReplayedRequest read(Request request, int bytesMax) throws IOException {
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    boolean isLast = false;
    while (!isLast && read.size() <= bytesMax) {
      Content.@Nullable Chunk chunk = request.read();
      if (chunk == null) {
        await(request);
        continue;
      }
      if (Content.Chunk.isFailure(chunk)) {
        throw new IOException("the body cannot be read", chunk.getFailure());
      }
      byte[] bytes = new byte[chunk.remaining()];
      chunk.getByteBuffer().get(bytes);
      read.writeBytes(bytes);
      isLast = chunk.isLast();
      chunk.release();
    }
    return new ReplayedRequest(request, ByteBuffer.wrap(read.toByteArray()), !isLast);
  }

  private static void await(Request request) throws IOException {
    try (Blocker.Runnable available = Blocker.runnable()) {
      request.demand(available);
      available.block();
    }
  }

  /** The beginning of the body, which was read in parts of the connection's choice. */
  ByteBuffer beginning(int bytesMax) {
    return beginning.asReadOnlyBuffer().limit(Math.min(bytesMax, beginning.limit()));
  }

  /** Whether the body is longer. */
  boolean isLongerThan(int bytes) {
    return isCut || beginning.limit() > bytes;
  }

  /** Without the question whether to send the body: it was answered before it was read. */
  @Override
  public HttpFields getHeaders() {
    HttpFields headers = super.getHeaders();
    return headers.contains(HttpHeader.EXPECT)
        ? HttpFields.build(headers).remove(HttpHeader.EXPECT)
        : headers;
  }
}
