package dev.holdfast.runtime.internal.outbox;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one consumer. The state of a delivery and all changes of the place are guarded
 * by the ledger; the places that a crash may go back to have a separate lock, because the journal
 * asks for them while it must not wait for an append.
 */
final class ConsumerEntry {

  /** A place that was appended to the journal. */
  private record Written(long record, EventPlace place) {}

  final ConsumerName name;

  /** Counts the moves by an operator. Guarded by the ledger. */
  int moves;

  /** What delivers to it; null if nothing does. Written under the ledger. */
  volatile @Nullable Delivery<?> delivery;

  /** Whether the loss of events was reported. Guarded by the ledger. */
  boolean reported;

  /** Written under the ledger. */
  volatile EventPlace place;

  /** The record that states the place, or an earlier position while one is being appended. */
  volatile long record;

  volatile long handledEvents;
  volatile long failedDeliveries;

  /** When the oldest event was emitted that is being delivered; the largest long for none. */
  volatile long deliveringMillis = Long.MAX_VALUE;

  /** Whether the consumer has read all that was durable when it looked last. */
  volatile boolean isIdle;

  // Guarded by this.
  private EventPlace durable;
  private final Deque<Written> written = new ArrayDeque<>();

  ConsumerEntry(ConsumerName name, EventPlace place, long record) {
    this.name = name;
    this.place = place;
    this.durable = place;
    this.record = record;
  }

  /** Records a place that was appended. */
  synchronized void written(long position, EventPlace at) {
    written.add(new Written(position, at));
    record = position;
  }

  /** {@return the oldest position from which on the consumer may begin after a crash now} */
  synchronized long durablePosition(long durableEnd) {
    Written first = written.peek();
    while (first != null && first.record() <= durableEnd) {
      durable = first.place();
      written.poll();
      first = written.peek();
    }
    long oldest = Math.min(durable.position(), place.position());
    for (Written each : written) {
      oldest = Math.min(oldest, each.place().position());
    }
    return oldest;
  }
}
