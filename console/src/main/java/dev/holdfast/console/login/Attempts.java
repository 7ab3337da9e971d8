package dev.holdfast.console.login;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How often a wrong token may be tried: five times in a minute from an address, and a hundred times
 * in all. Thread-safe.
 */
final class Attempts {

  private static final long MINUTE_MILLIS = 60_000;
  private static final int OF_ADDRESS_MAX = 5;
  private static final int IN_ALL_MAX = 100;

  /** Wrong tries of the minute that runs; bounded by their number in all. */
  private final Map<String, Integer> wrong = new LinkedHashMap<>();

  private long minute = Long.MIN_VALUE;
  private int all;

  /** {@return whether an address may try once more} */
  synchronized boolean mayTry(String address, long nowMillis) {
    if (nowMillis / MINUTE_MILLIS != minute) {
      minute = nowMillis / MINUTE_MILLIS;
      wrong.clear();
      all = 0;
    }
    return all < IN_ALL_MAX && wrong.getOrDefault(address, 0) < OF_ADDRESS_MAX;
  }

  synchronized void failed(String address) {
    all++;
    wrong.merge(address, 1, Integer::sum);
  }
}
