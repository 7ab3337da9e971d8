package dev.holdfast.http.internal.server;

import java.time.Duration;

/**
 * What a server holds for its clients at most, and how long.
 *
 * @param connections how many connections; each more closes one that has no request
 * @param bodiesBytes how many bytes of bodies, of all requests together; one holder has at most
 *     half
 * @param idle how long a connection may wait for its next request, or for the next bytes of one
 * @param request how long a head or a body may take to arrive
 * @param stop how long requests in flight have to end when the server stops
 */
public record Limits(
    int connections, int bodiesBytes, Duration idle, Duration request, Duration stop) {

  /** Answers are larger than what is sent: all of them together may be so many times as large. */
  static final int ANSWERS_TIMES_BODIES = 4;

  /** Answers that are not counted: about what the kernel takes at once. */
  static final int SHORT_ANSWER_BYTES_MAX = 16 * 1_024;

  /** How long request line and headers may be together. */
  static final int HEAD_BYTES_MAX = 64 * 1_024;

  /** Checks the ranges. */
  public Limits {
    if (connections < 1 || bodiesBytes < 1 || idle.toMillis() < 1 || request.toMillis() < 1) {
      throw new IllegalArgumentException("limits are at least 1");
    }
    if (stop.isNegative()) {
      throw new IllegalArgumentException("a time is not negative: " + stop);
    }
  }
}
