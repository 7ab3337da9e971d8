package dev.holdfast.statistics;

/**
 * The numbers of the SQLite databases, one for each object. Immutable.
 *
 * @param open how many databases are open
 * @param openingNanos how long each opening of a database took, in nanoseconds, without the wait
 *     for room
 * @param closings how many databases were closed
 * @param saveNanos how long each save of a file took, in nanoseconds: the log is copied into the
 *     file, the file is synced and the journal notified
 * @param unsaved how many objects have batches that only the journal has durably; they are saved
 *     when the journal needs room, when many accumulate, and at the close
 * @param saveLag how many durable records the journal keeps for them, counted from the oldest that
 *     one of them needs, including records of other objects
 * @param saveLagNanos how long the oldest requested save has been waiting or running, in
 *     nanoseconds; 0 if none is requested
 * @param redoneBatches how many batches were redone from the journal when the runtime was opened
 */
public record DatabaseStatistics(
    long open,
    HistogramSnapshot openingNanos,
    long closings,
    HistogramSnapshot saveNanos,
    int unsaved,
    long saveLag,
    long saveLagNanos,
    long redoneBatches)
    implements BackendStatistics {

  /** The numbers of a runtime without SQLite. */
  public static final DatabaseStatistics NONE =
      new DatabaseStatistics(0, HistogramSnapshot.EMPTY, 0, HistogramSnapshot.EMPTY, 0, 0, 0, 0);

  /** {@return how many databases were opened} */
  public long openings() {
    return openingNanos.count();
  }

  /** {@return how many times a file was saved} */
  public long saves() {
    return saveNanos.count();
  }

  /**
   * Returns what happened after an earlier snapshot: counters and histograms are subtracted, all
   * else comes from this snapshot.
   *
   * @param earlier the earlier snapshot
   * @return the numbers of the time between the two
   */
  public DatabaseStatistics minus(DatabaseStatistics earlier) {
    return new DatabaseStatistics(
        open,
        openingNanos.minus(earlier.openingNanos),
        closings - earlier.closings,
        saveNanos.minus(earlier.saveNanos),
        unsaved,
        saveLag,
        saveLagNanos,
        redoneBatches - earlier.redoneBatches);
  }
}
