package dev.holdfast.crash;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * The writes of one step of an object: first the clearing, then deletions, pairs and rows.
 *
 * @param seq its number, from 1
 * @param kind its kind
 * @param clear whether everything is deleted first
 * @param deletes keys to delete
 * @param puts pairs to write
 * @param rows rows to write or delete
 */
record CrashStep(
    long seq,
    Kind kind,
    boolean clear,
    List<String> deletes,
    SortedMap<String, Object> puts,
    List<RowWrite> rows) {

  /** The kind of a step. */
  enum Kind {
    /** One turn, answered when it is durable. */
    PLAIN,
    /** One turn of unconfirmed writes: the answer is not a promise. */
    UNCONFIRMED,
    /** One turn, then a call of another object, and a second turn that records it. */
    CALL,
    /** Like {@link #CALL}, but entirely in a critical section. */
    SECTION,
    /** One turn that ends in an exception of the object: its writes stay. */
    THROW
  }

  /**
   * A row to write, or to delete if it has no body.
   *
   * @param id its key
   * @param body its content
   */
  record RowWrite(long id, Optional<String> body) {}

  boolean callsMirror() {
    return kind == Kind.CALL || kind == Kind.SECTION;
  }
}
