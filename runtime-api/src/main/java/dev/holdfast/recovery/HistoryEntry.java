package dev.holdfast.recovery;

import java.time.Instant;

/**
 * One change of an object.
 *
 * @param bookmark names the state after it
 * @param time when it was made
 * @param kind what it was
 * @param bytes what it takes in the journal
 */
public record HistoryEntry(String bookmark, Instant time, Kind kind, int bytes) {

  /** What a change was. */
  public enum Kind {
    /** What the object wrote in a turn. */
    WRITE,
    /** The object was brought back to an earlier state. */
    RESTORE,
    /** A turn's writes, made while the namespace kept no history: no state before can come back. */
    WRITE_WITHOUT_UNDO
  }
}
