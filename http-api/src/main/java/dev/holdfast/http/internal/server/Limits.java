package dev.holdfast.http.internal.server;

/**
 * What a listener holds for its clients at most.
 *
 * @param connections how many connections; more wait to be accepted
 * @param bodiesBytes how many bytes of bodies, of all requests together
 * @param idleSeconds how long a connection may wait for its next request
 * @param requestSeconds how long a request may take to arrive, and an answer to be taken
 * @param stopSeconds how long requests in flight have to end when the listener stops
 */
public record Limits(
    int connections, int bodiesBytes, int idleSeconds, int requestSeconds, int stopSeconds) {

  /** How long request line and headers may be together. */
  static final int HEAD_BYTES_MAX = 64 * 1_024;

  /** How many headers a request may have. */
  static final int HEADERS_MAX = 100;

  /** Checks the ranges. */
  public Limits {
    if (connections < 1 || bodiesBytes < 1 || idleSeconds < 1 || requestSeconds < 1) {
      throw new IllegalArgumentException("limits are at least 1");
    }
    if (stopSeconds < 0) {
      throw new IllegalArgumentException("a time is not negative: " + stopSeconds);
    }
  }
}
