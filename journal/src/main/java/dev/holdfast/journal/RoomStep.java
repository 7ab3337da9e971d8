package dev.holdfast.journal;

/** What an appender that found no room does next; see {@link GroupCommit}. */
sealed interface RoomStep {

  /** Nothing: there was room at last. */
  record Added(long position) implements RoomStep {}

  /**
   * Begin a segment behind one of this size: that is full, and all of it is durable. The appender
   * has the lead until it has done so.
   */
  record BeginSegment(long segmentBytes) implements RoomStep {}

  /** Lead the flush of what has gathered. */
  record Lead() implements RoomStep {}

  /** Wait until a leader has taken what has gathered, or has ended. */
  record Wait(DurabilityWaiter waiter) implements RoomStep {}
}
