package dev.holdfast.http.server.site;

import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;

/** A request whose whole body was decoded: the site gets it without its coding. */
final class DecodedRequest extends BegunRequest {

  private final HttpFields headers;
  private final int bytes;

  DecodedRequest(ReplayedRequest read, ByteBuffer body) {
    super(read, Content.Chunk.from(body.duplicate(), true));
    this.bytes = body.remaining();
    HttpFields.Mutable changed = HttpFields.build(read.getHeaders());
    changed.remove(HttpHeader.CONTENT_ENCODING);
    if (changed.contains(HttpHeader.CONTENT_LENGTH)) {
      changed.put(HttpHeader.CONTENT_LENGTH, bytes);
    }
    this.headers = changed.asImmutable();
  }

  @Override
  public HttpFields getHeaders() {
    return headers;
  }

  @Override
  public long getLength() {
    return bytes;
  }
}
