package dev.holdfast.statistics;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of the archive. Immutable.
 *
 * @param state what the archive does
 * @param generation the generation that this runtime writes; 0 before it has one
 * @param position the position up to which every record is archived; 0 before that is known
 * @param basePosition the position of the newest base image, with which a restore of the latest
 *     state begins; 0 if there is none
 * @param lagNanos every record that was durable this long ago is archived; 0 if all are. In
 *     nanoseconds; without an answer of the store, since the runtime was opened
 * @param chunks how many parts of the journal were archived
 * @param bytes their size in bytes
 * @param failures how many operations of the store have failed
 * @param retention how far back every moment stays restorable; null if nothing is ever deleted, and
 *     without an archive
 */
public record ArchiveStatistics(
    State state,
    long generation,
    long position,
    long basePosition,
    long lagNanos,
    long chunks,
    long bytes,
    long failures,
    @Nullable Duration retention) {

  /** What an archive does. */
  public enum State {
    /** The runtime has no archive. */
    NONE,
    /** The store has not answered yet which generation this runtime writes. */
    STARTING,
    /** Records are archived. */
    RUNNING,
    /**
     * Records that were not archived are gone from the journal. The archive ends before them, and
     * goes on when the files of a base image were copied.
     */
    GAP,
    /** Another runtime archives to this place; this one has stopped. */
    STOPPED
  }

  /** No archive. */
  public static final ArchiveStatistics NONE =
      new ArchiveStatistics(State.NONE, 0, 0, 0, 0, 0, 0, 0, null);

  /**
   * Returns what happened after an earlier snapshot: counters are subtracted, all else comes from
   * this snapshot.
   *
   * @param earlier the earlier snapshot
   * @return the numbers of the time between the two
   */
  public ArchiveStatistics minus(ArchiveStatistics earlier) {
    return new ArchiveStatistics(
        state,
        generation,
        position,
        basePosition,
        lagNanos,
        chunks - earlier.chunks,
        bytes - earlier.bytes,
        failures - earlier.failures,
        retention);
  }
}
