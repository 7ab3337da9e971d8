package dev.holdfast.journal;

/** What an appender that found no room does next; see {@link GroupCommit}. */
sealed interface RoomStep {

  /** Nothing: there was room at last. */
  record Added(long position) implements RoomStep {}

  /** Take a spare: the gathering group is empty and its segment, of this size, full. */
  record TakeSpare(long segmentBytes) implements RoomStep {}

  /** Lead the flush of what has gathered. */
  record Lead() implements RoomStep {}

  /** Wait until another leader has taken what has gathered. */
  record Wait(Waiter waiter) implements RoomStep {}
}
