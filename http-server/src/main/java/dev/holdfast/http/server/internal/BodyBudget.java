package dev.holdfast.http.server.internal;

import java.util.HashMap;
import java.util.Map;

/**
 * The bytes of request or answer bodies that a server holds for its clients. A holder, such as a
 * token, may have at most as much as is left for all others: so the first holder that takes its
 * maximum halves the rest, which is never used up. Thread-safe.
 */
final class BodyBudget {

  private final Map<String, Integer> held = new HashMap<>();
  private int left;

  BodyBudget(int bytes) {
    left = bytes;
  }

  /** Takes bytes for a holder. Returns whether they were granted. */
  synchronized boolean tryTake(String holder, int bytes) {
    long mine = held.getOrDefault(holder, 0) + (long) bytes;
    if (mine > (long) left - bytes) {
      return false;
    }
    held.put(holder, (int) mine);
    left -= bytes;
    return true;
  }

  synchronized void release(String holder, int bytes) {
    held.computeIfPresent(holder, (name, mine) -> mine == bytes ? null : mine - bytes);
    left += bytes;
  }

  /** {@return the number of free bytes} */
  synchronized int left() {
    return left;
  }
}
