package dev.holdfast.storage;

/**
 * What a recurring schedule does about times that passed while it could not run, because the
 * runtime was closed or earlier runs took too long. A run is missed if it would begin more than a
 * minute late.
 */
public enum MissedRuns {
  /** Skips them and continues with the next time in the future. */
  SKIP,
  /** Runs once for all of them. */
  ONCE,
  /** Runs each of them, one after the other. */
  ALL
}
