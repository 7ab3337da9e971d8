package dev.holdfast.alarms;

import java.util.LinkedHashSet;

/**
 * Bounds how many handlers run at once, in such a way that slow ones do not keep quick ones from
 * starting: a handler that has run for {@link #LONG_NANOS} gives its slot to others, and is counted
 * among the long ones from then on. Why it takes long makes no difference: it waits, computes,
 * stands behind other events of its object, or for the disk. Only when there are too many long ones
 * do they keep their slots.
 *
 * <p>Guarded by the lock of its {@link Dispatcher}.
 */
final class Slots {

  /** Some syncs of a slow disk: a handler that does not wait for anything else ends before. */
  static final long LONG_NANOS = 100_000_000;

  private final int shortMax;
  private final int longMax;

  /** By their start. */
  private final LinkedHashSet<Slot> shortOnes = new LinkedHashSet<>();

  private int longCount;

  /** What a handler that runs occupies. */
  static final class Slot {
    private final long startNanos;

    private Slot(long startNanos) {
      this.startNanos = startNanos;
    }
  }

  Slots(int shortMax, int longMax) {
    this.shortMax = shortMax;
    this.longMax = longMax;
  }

  /** {@return whether another handler may be started} */
  boolean isFree(long nowNanos) {
    while (!shortOnes.isEmpty() && longCount < longMax && nanosToLong(nowNanos) <= 0) {
      shortOnes.removeFirst();
      longCount++;
    }
    return shortOnes.size() < shortMax;
  }

  /** {@return how long until there is a slot though no handler ends; the largest long if never} */
  long nanosToFree(long nowNanos) {
    return shortOnes.isEmpty() || longCount >= longMax
        ? Long.MAX_VALUE
        : Math.max(0, nanosToLong(nowNanos));
  }

  private long nanosToLong(long nowNanos) {
    return shortOnes.getFirst().startNanos + LONG_NANOS - nowNanos;
  }

  /** {@return the slot of a handler that starts now} */
  Slot take(long nowNanos) {
    Slot taken = new Slot(nowNanos);
    shortOnes.add(taken);
    return taken;
  }

  /** Notes that a handler has ended. */
  void give(Slot slot) {
    if (!shortOnes.remove(slot)) {
      longCount--;
    }
  }
}
