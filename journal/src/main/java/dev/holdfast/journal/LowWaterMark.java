package dev.holdfast.journal;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The lowest position that some view still needs: the value known now, and the value that would
 * remain after a crash. Never decreases. Thread-safe.
 */
final class LowWaterMark {

  private final AtomicLong known;
  private final AtomicLong durable;

  LowWaterMark(long recovered) {
    this.known = new AtomicLong(recovered);
    this.durable = new AtomicLong(recovered);
  }

  /** {@return the mark to write with the next group} */
  long known() {
    return known.get();
  }

  /** {@return the mark that was written and synced: everything below it may be deleted} */
  long durable() {
    return durable.get();
  }

  void raise(long mark) {
    known.accumulateAndGet(mark, Math::max);
  }

  /** Records that a group with this mark was synced. */
  void written(long mark) {
    durable.accumulateAndGet(mark, Math::max);
  }
}
