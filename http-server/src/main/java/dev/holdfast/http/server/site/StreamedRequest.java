package dev.holdfast.http.server.site;

import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * A request of HTTP/2 as HTTP/1 would send it. Without a header of HTTP/1 the library sees no body
 * where its length is not known, and would drop it.
 */
final class StreamedRequest extends BegunRequest {

  private StreamedRequest(Request wrapped, Content.@Nullable Chunk first) {
    super(wrapped, first);
  }

  /**
   * {@return a request with its body, or the given one if it has no body}
   *
   * @throws HttpException.RuntimeException if the request states a length and ends before its body,
   *     for which the origin would wait
   */
  static Request of(Request request) {
    boolean hasLength = request.getHeaders().contains(HttpHeader.CONTENT_LENGTH);
    Content.@Nullable Chunk first = request.read();
    boolean isEmpty = first != null && first.isLast() && !first.hasRemaining();
    if (isEmpty && request.getLength() > 0) {
      throw new HttpException.RuntimeException(400, "a length without a body");
    }
    if (isEmpty) {
      return request;
    }
    return hasLength ? new MeasuredRequest(request, first) : new StreamedRequest(request, first);
  }

  @Override
  public HttpFields getHeaders() {
    return HttpFields.build(super.getHeaders()).put(HttpHeader.TRANSFER_ENCODING, "chunked");
  }
}
