package dev.holdfast.journal;

/**
 * How much of the past a {@link FileJournal} keeps for {@link FileJournal#history}. Immutable.
 *
 * <p>Whole segments go, the oldest first, when no view needs them and either all their records are
 * older than the window or the segments together are larger than the cap. A restore that was asked
 * for keeps what it needs, also beyond both.
 *
 * @param windowMillis how long a record is kept at least, if the cap allows; 0 keeps no history
 * @param bytesMax how large all segments together may be, at least 0; what views need is kept
 *     beyond that; {@link Long#MAX_VALUE} for no cap
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
