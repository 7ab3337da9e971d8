package dev.holdfast.recovery;

import java.time.Instant;

/**
 * One change of an object.
 *
 * @param bookmark the state after the change
 * @param time when it was made
 * @param kind its kind
 * @param bytes its size in the journal
 */
public record HistoryEntry(String bookmark, Instant time, Kind kind, int bytes) {

  /** The kind of a change. */
  public enum Kind {
    /** The writes of a turn. */
    WRITE,
    /** A restore of the object to an earlier state. */
    RESTORE,
    /** The writes of a turn without history in the namespace: no earlier state can be restored. */
    WRITE_WITHOUT_UNDO
  }
}
