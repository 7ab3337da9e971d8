package dev.holdfast.journal;

import dev.holdfast.journal.group.DurabilityWaiter;

/** The next step of an appender that found no room; see {@link GroupCommit}. */
sealed interface RoomStep {

  /** None: the record was added. */
  record Added(long position) implements RoomStep {}

  /**
   * Begin a segment after one of this size, which is full and entirely durable. The appender is the
   * leader until it has done so.
   */
  record BeginSegment(long segmentBytes) implements RoomStep {}

  /** Lead the flush of the gathered records. */
  record Lead() implements RoomStep {}

  /** Wait until a leader has taken the gathered records, or has ended. */
  record Wait(DurabilityWaiter waiter) implements RoomStep {}
}
