package dev.holdfast.alarms;

import java.util.LinkedHashSet;
import java.util.function.BooleanSupplier;

/**
 * Bounds the number of concurrent handlers so that slow handlers do not keep quick ones from
 * starting: a handler that has run for {@link AlarmBounds#LONG_NANOS} gives up its slot, and counts
 * as a long one from then on. The reason does not matter: it may wait, compute, queue behind other
 * events of its object, or wait for the disk. Only when there are too many long handlers do they
 * keep their slots.
 *
 * <p>A handler whose object is still being opened keeps its slot too, and its time starts again:
 * the storage is slow, not the handler, and more of them at once would make the storage slower.
 * (Without this rule all 10,256 handlers waited for files when alarms of as many objects were due
 * at once.)
 *
 * <p>Guarded by the lock of its {@link Dispatcher}.
 */
final class Slots {

  private final int shortMax;
  private final int longMax;

  /** In order of their time. */
  private final LinkedHashSet<Slot> shortOnes = new LinkedHashSet<>();

  private int longCount;

  /** The slot of a running handler. */
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
    assert longCount <= longMax;
    return shortOnes.size() < shortMax;
  }

  /** {@return the time until a slot is free even if no handler ends; the largest long if never} */
  long nanosToFree(long nowNanos) {
    return shortOnes.isEmpty() || longCount >= longMax
        ? Long.MAX_VALUE
        : Math.max(0, nanosToLong(nowNanos));
  }

  private long nanosToLong(long nowNanos) {
    return shortOnes.getFirst().sinceNanos + AlarmBounds.LONG_NANOS - nowNanos;
  }

  /**
   * {@return a slot for a handler that starts now}
   *
   * @param isOpening whether its object is being opened
   */
  Slot take(long nowNanos, BooleanSupplier isOpening) {
    assert shortOnes.size() < shortMax;
    Slot taken = new Slot(isOpening, nowNanos);
    shortOnes.add(taken);
    return taken;
  }

  /** Frees the slot of a handler that has ended. */
  void give(Slot slot) {
    if (!shortOnes.remove(slot)) {
      longCount--;
      assert longCount >= 0;
    }
  }
}
