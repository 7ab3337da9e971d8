package dev.holdfast.http.internal.call;

import dev.holdfast.http.object.ZoneReply;

/** The operation of an endpoint, which runs in one turn of the zone. */
@FunctionalInterface
public interface Operation {

  /**
   * Runs the operation.
   *
   * @param call the request
   * @return the answer
   * @throws dev.holdfast.http.internal.error.ApiException if the request is refused; nothing was
   *     written
   */
  ZoneReply run(Call call);
}
