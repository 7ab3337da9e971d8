package dev.holdfast.http.server.site;

import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * A request of HTTP/2 whose body must be as long as it states. The library does not compare the two
 * where trailers end the body; the origin would read the rest from the next request.
 */
final class MeasuredRequest extends BegunRequest {

  private long left;

  MeasuredRequest(Request wrapped, Content.@Nullable Chunk first) {
    super(wrapped, first);
    this.left = wrapped.getLength();
  }

  @Override
  public Content.@Nullable Chunk read() {
    Content.@Nullable Chunk chunk = super.read();
    if (chunk == null || Content.Chunk.isFailure(chunk)) {
      return chunk;
    }
    left -= chunk.remaining();
    if (left < 0 || (chunk.isLast() && left > 0)) {
      chunk.release();
      HttpException.RuntimeException wrong =
          new HttpException.RuntimeException(400, "the body has another length than is stated");
      fail(wrong);
      return Content.Chunk.from(wrong, true);
    }
    return chunk;
  }
}
