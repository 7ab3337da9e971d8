package dev.holdfast.http.object;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts the changes of zones, so that what was compiled from a zone is known to be old without a
 * call to the zone. An object counts a change in its turn, before the answer to the write leaves.
 * What is shared beyond one runtime, or falls on one counter, is compiled once more than needed,
 * and never too seldom. Thread-safe.
 */
public final class ZoneChanges {

  /** A fixed number: a counter for each zone would stay when the zone is long gone. */
  private static final int COUNTERS = 8_192;

  private final AtomicLongArray counters = new AtomicLongArray(COUNTERS);

  /** Creates the counters. */
  public ZoneChanges() {}

  /**
   * Counts a change.
   *
   * @param id the id of the zone, or the name of another object
   */
  public void add(String id) {
    counters.incrementAndGet(index(id));
  }

  /**
   * {@return a number that differs after each change}
   *
   * @param id the id of the zone, or the name of another object
   */
  public long count(String id) {
    return counters.get(index(id));
  }

  private static int index(String id) {
    return Math.floorMod(id.hashCode(), COUNTERS);
  }
}
