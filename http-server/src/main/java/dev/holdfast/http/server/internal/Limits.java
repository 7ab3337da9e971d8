package dev.holdfast.http.server.internal;

import java.time.Duration;

/**
 * The limits on what a server holds for its clients, and for how long.
 *
 * @param connections maximum number of connections; each additional one closes one that has no
 *     request
 * @param bodyBytes maximum length of the body of a request
 * @param bodiesBytes maximum bytes of bodies of all requests together; one holder has at most half
 * @param idle the time that a connection may wait for its next request, or for the next bytes of
 *     one
 * @param request the time that a head or a body may take to arrive
 * @param stop the time that requests in flight have to end when the server stops
 */
public record Limits(
    int connections,
    int bodyBytes,
    int bodiesBytes,
    Duration idle,
    Duration request,
    Duration stop) {

  /** Checks the ranges. */
  public Limits {
    if (connections < 1
        || bodyBytes < 1
        || bodiesBytes < 1
        || idle.toMillis() < 1
        || request.toMillis() < 1) {
      throw new IllegalArgumentException("limits are at least 1");
    }
    if (stop.isNegative()) {
      throw new IllegalArgumentException("a time is not negative: " + stop);
    }
  }
}
