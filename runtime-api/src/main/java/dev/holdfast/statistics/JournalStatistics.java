package dev.holdfast.statistics;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of the journal. Immutable.
 *
 * @param lastPosition the position of the last record appended; 0 if there is none
 * @param durablePosition the position up to which every record is durable
 * @param recordsPerGroup how many records each group had that was made durable; a group that only
 *     carries the low-water mark has none
 * @param syncNanos how long the write and the sync of each of these groups took, in nanoseconds; in
 *     a cluster, from its proposal until a majority had it
 * @param proofNanos in a cluster, how long each proof took that this node still owned the shard,
 *     from its proposal on, in nanoseconds. Replies that only read share one; those that wait for a
 *     group need none
 * @param bytes the size of these groups in bytes
 * @param waiters how many callers wait until a position is durable
 * @param segments how many segment files there are
 * @param bytesOnDisk the size of the segments, their indexes and the files that wait to become
 *     segments, in bytes. Files of earlier runs count once the journal has looked at them, shortly
 *     after it was opened
 * @param lowWaterMark the first position that a recovery would read now
 * @param historyFrom the position from which on every record is kept. Up to {@code
 *     durablePosition}; one after it if none is kept
 * @param historySince the time from which on every record is kept; null if there is none, or it is
 *     not known yet
 */
public record JournalStatistics(
    long lastPosition,
    long durablePosition,
    HistogramSnapshot recordsPerGroup,
    HistogramSnapshot syncNanos,
    HistogramSnapshot proofNanos,
    long bytes,
    int waiters,
    int segments,
    long bytesOnDisk,
    long lowWaterMark,
    long historyFrom,
    @Nullable Instant historySince) {

  /**
   * Returns the numbers of a journal that has counted nothing.
   *
   * @param lastPosition the position of the last record appended
   * @param durablePosition the position up to which every record is durable
   * @return the two positions, and nothing else
   */
  public static JournalStatistics at(long lastPosition, long durablePosition) {
    return new JournalStatistics(
        lastPosition,
        durablePosition,
        HistogramSnapshot.EMPTY,
        HistogramSnapshot.EMPTY,
        HistogramSnapshot.EMPTY,
        0,
        0,
        0,
        0,
        durablePosition + 1,
        durablePosition + 1,
        null);
  }

  /** {@return how many groups were made durable, each with one sync} */
  public long groups() {
    return recordsPerGroup.count();
  }

  /** {@return how many records were made durable} */
  public long records() {
    return recordsPerGroup.sum();
  }

  /** {@return how many durable records a recovery would read now: those that some view needs} */
  public long lowWaterLag() {
    return Math.max(0, durablePosition + 1 - lowWaterMark);
  }

  /**
   * Returns what happened after an earlier snapshot: counters and histograms are subtracted, all
   * else comes from this snapshot.
   *
   * @param earlier the earlier snapshot
   * @return the numbers of the time between the two
   */
  public JournalStatistics minus(JournalStatistics earlier) {
    return new JournalStatistics(
        lastPosition,
        durablePosition,
        recordsPerGroup.minus(earlier.recordsPerGroup),
        syncNanos.minus(earlier.syncNanos),
        proofNanos.minus(earlier.proofNanos),
        bytes - earlier.bytes,
        waiters,
        segments,
        bytesOnDisk,
        lowWaterMark,
        historyFrom,
        historySince);
  }
}
