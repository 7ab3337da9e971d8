package dev.holdfast.http.server.site;

import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/** A request of whose body the beginning was read, and begins again. */
class BegunRequest extends Request.Wrapper {

  private Content.@Nullable Chunk first;

  /**
   * Begins a body again.
   *
   * @param first what was read; null if that was nothing
   */
  BegunRequest(Request wrapped, Content.@Nullable Chunk first) {
    super(wrapped);
    this.first = first;
  }

  @Override
  public Content.@Nullable Chunk read() {
    Content.@Nullable Chunk chunk = first;
    if (chunk == null) {
      return super.read();
    }
    first = Content.Chunk.next(chunk);
    return chunk;
  }

  @Override
  public void demand(Runnable demand) {
    if (first == null) {
      super.demand(demand);
    } else {
      demand.run();
    }
  }
}
