package dev.holdfast.statistics;

/**
 * What became of the alarms of a namespace.
 *
 * @param running how many handlers run now
 * @param ran how many handlers have returned
 * @param failed how many handlers have thrown or were reset; those that are tried again included
 * @param givenUp how many of the failed ones are not tried again
 * @param lateNanos how long after its time each handler began, in nanoseconds
 */
public record AlarmStatistics(
    long running, long ran, long failed, long givenUp, HistogramSnapshot lateNanos) {

  /**
   * Returns what happened after an earlier snapshot.
   *
   * @param earlier the earlier snapshot
   * @return the difference, with the handlers that run now
   */
  public AlarmStatistics minus(AlarmStatistics earlier) {
    return new AlarmStatistics(
        running,
        ran - earlier.ran,
        failed - earlier.failed,
        givenUp - earlier.givenUp,
        lateNanos.minus(earlier.lateNanos));
  }
}
