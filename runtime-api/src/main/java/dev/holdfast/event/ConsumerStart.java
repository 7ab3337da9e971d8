package dev.holdfast.event;

/** Where a new consumer begins, or one that is reset. */
public enum ConsumerStart {

  /** With the oldest event that the journal still has. */
  OLDEST,

  /** With the next event that is emitted. */
  NOW
}
