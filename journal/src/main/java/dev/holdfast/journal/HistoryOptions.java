package dev.holdfast.journal;

/**
 * How much history a {@link FileJournal} keeps for {@link FileJournal#history}. Immutable.
 *
 * <p>Whole segments are removed, the oldest first, when no view needs them and either all their
 * records are older than the window or the segments together are larger than the cap. A requested
 * restore keeps what it needs, even beyond both.
 *
 * @param windowMillis the minimum time a record is kept, if the cap allows; 0 keeps no history
 * @param bytesMax maximum size of all segments together, at least 0; records that views need are
 *     kept beyond that; {@link Long#MAX_VALUE} for no cap
 */
public record HistoryOptions(long windowMillis, long bytesMax) {

  /** Keeps what views need and nothing else. */
  public static final HistoryOptions NONE = new HistoryOptions(0, Long.MAX_VALUE);

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException if a number is out of its range
   */
  public HistoryOptions {
    if (windowMillis < 0 || bytesMax < 0) {
      throw new IllegalArgumentException(
          "windowMillis and bytesMax are at least 0, got " + windowMillis + " and " + bytesMax);
    }
  }

  boolean keepsNone() {
    return windowMillis == 0;
  }
}
