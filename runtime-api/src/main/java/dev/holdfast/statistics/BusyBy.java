package dev.holdfast.statistics;

/** By what objects are compared to find the busiest. */
public enum BusyBy {

  /** How many calls the object got. */
  CALLS,

  /** The longest queue of calls that waited for the object. */
  QUEUE,

  /** The longest turn, in nanoseconds. */
  TURN,

  /** The largest batch, in bytes. */
  BATCH
}
