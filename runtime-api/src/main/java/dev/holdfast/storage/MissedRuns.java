package dev.holdfast.storage;

/**
 * What a recurring schedule does about times that passed while it could not run: because the
 * runtime was closed, or earlier runs took too long. A run counts as missed when it would begin
 * more than a minute late.
 */
public enum MissedRuns {
  /** They are left out; it goes on with the next time to come. */
  SKIP,
  /** One run makes up for all of them. */
  ONCE,
  /** Each is run, one after the other. */
  ALL
}
