package dev.holdfast.archive;

import java.time.Instant;

/** The moment to which an archive, a backup or a data directory is restored. Immutable. */
public sealed interface RestoreTarget {

  /** The last record. */
  record Latest() implements RestoreTarget {}

  /**
   * A position: of an archive, one of its newest generation.
   *
   * @param position the last record to restore, at least 1
   */
  record AtPosition(long position) implements RestoreTarget {

    /**
     * Checks the position.
     *
     * @throws IllegalArgumentException if it is less than 1
     */
    public AtPosition {
      if (position < 1) {
        throw new IllegalArgumentException("position must be at least 1: " + position);
      }
    }
  }

  /**
   * A time: the state of the data directory that was archived then.
   *
   * @param time everything appended at or before it is restored
   */
  record AtTime(Instant time) implements RestoreTarget {}
}
