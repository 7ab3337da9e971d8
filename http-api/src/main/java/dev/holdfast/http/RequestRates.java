package dev.holdfast.http;

import dev.holdfast.http.internal.reply.ApiException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The number of requests of each credential in the current window of five minutes. In memory only:
 * a restart resets it. Thread-safe.
 */
final class RequestRates {

  private static final Duration WINDOW = Duration.ofMinutes(5);

  private final InstantSource clock;
  private final int requestsMax;

  /**
   * By the id of the credential, so there are at most as many as credentials. Guarded by itself.
   */
  private final Map<String, Window> windows = new HashMap<>();

  private record Window(Instant end, int requests) {}

  /**
   * Starts counting.
   *
   * @param requestsMax the maximum in a window; 0 for no limit
   */
  RequestRates(InstantSource clock, int requestsMax) {
    this.clock = clock;
    this.requestsMax = requestsMax;
  }

  /**
   * Counts a request.
   *
   * @return the headers with the number of remaining requests; none without a limit
   * @throws ApiException if none was left
   */
  Map<String, String> take(String credentialId) {
    if (requestsMax == 0) {
      return Map.of();
    }
    Instant now = clock.instant();
    Window window;
    synchronized (windows) {
      Window old = windows.get(credentialId);
      window =
          old == null || !now.isBefore(old.end())
              ? new Window(now.plus(WINDOW), 1)
              : new Window(old.end(), Math.min(old.requests(), requestsMax) + 1);
      windows.put(credentialId, window);
    }
    long seconds = Duration.between(now, window.end()).toSeconds();
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("X-RateLimit-Limit", String.valueOf(requestsMax));
    headers.put(
        "X-RateLimit-Remaining", String.valueOf(Math.max(0, requestsMax - window.requests())));
    headers.put("X-RateLimit-Reset", String.valueOf(seconds));
    if (window.requests() > requestsMax) {
      headers.put("Retry-After", String.valueOf(Math.max(1, seconds)));
      throw new ApiException(429, 10429, "More than " + requestsMax + " requests in five minutes")
          .withHeaders(headers);
    }
    return headers;
  }
}
