package dev.holdfast.alarms;

import java.util.LinkedHashSet;
import java.util.function.BooleanSupplier;

/**
 * Bounds how many handlers run at once, in such a way that slow ones do not keep quick ones from
 * starting: a handler that has run for {@link AlarmBounds#LONG_NANOS} gives its slot to others, and
 * is counted among the long ones from then on. Why it takes long makes no difference: it waits,
 * computes, stands behind other events of its object, or for the disk. Only when there are too many
 * long ones do they keep their slots.
 *
 * <p>One whose object is still being opened keeps its slot too, and its time begins anew: it is not
 * slow, the storage is, and more of them at once would only make it slower. (Without this rule all
 * 10,256 waited for files, when alarms of as many objects were due at once.)
 *
 * <p>Guarded by the lock of its {@link Dispatcher}.
 */
final class Slots {

  private final int shortMax;
  private final int longMax;

  /** By their time. */
  private final LinkedHashSet<Slot> shortOnes = new LinkedHashSet<>();

  private int longCount;

  /** What a handler that runs occupies. */
  static final class Slot {
    private final BooleanSupplier isOpening;
    private long sinceNanos;

    private Slot(BooleanSupplier isOpening, long sinceNanos) {
      this.isOpening = isOpening;
      this.sinceNanos = sinceNanos;
    }
  }

  Slots(int shortMax, int longMax) {
    this.shortMax = shortMax;
    this.longMax = longMax;
  }

  /** {@return whether another handler may be started} */
  boolean isFree(long nowNanos) {
    while (!shortOnes.isEmpty() && longCount < longMax && nanosToLong(nowNanos) <= 0) {
      Slot eldest = shortOnes.removeFirst();
      if (eldest.isOpening.getAsBoolean()) {
        eldest.sinceNanos = nowNanos;
        shortOnes.add(eldest);
      } else {
        longCount++;
      }
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
    return shortOnes.getFirst().sinceNanos + AlarmBounds.LONG_NANOS - nowNanos;
  }

  /**
   * {@return the slot of a handler that starts now}
   *
   * @param isOpening whether its object is being opened
   */
  Slot take(long nowNanos, BooleanSupplier isOpening) {
    Slot taken = new Slot(isOpening, nowNanos);
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
