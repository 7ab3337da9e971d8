package dev.holdfast.http.server.site;

import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * A request of HTTP/2 whose body has no known length, as HTTP/1 would send it. Without the header
 * of HTTP/1 the library sees no body and would drop it.
 */
final class StreamedRequest extends BegunRequest {

  private StreamedRequest(Request wrapped, Content.@Nullable Chunk first) {
    super(wrapped, first);
  }

  /** {@return a request with its body, or the given one if it has no body} */
  static Request of(Request request) {
    Content.@Nullable Chunk first = request.read();
    boolean isEmpty = first != null && first.isLast() && !first.hasRemaining();
    return isEmpty ? request : new StreamedRequest(request, first);
  }

  @Override
  public HttpFields getHeaders() {
    return HttpFields.build(super.getHeaders()).put(HttpHeader.TRANSFER_ENCODING, "chunked");
  }
}
