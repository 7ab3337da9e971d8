package dev.holdfast.http.internal.call;

import dev.holdfast.http.object.ZoneReply;

/** What an endpoint does, in one turn of the zone. */
@FunctionalInterface
public interface Operation {

  /**
   * Does it.
   *
   * @param call the request
   * @return the answer
   * @throws dev.holdfast.http.internal.error.ApiException if the request is refused; nothing was
   *     written
   */
  ZoneReply run(Call call);
}
