package dev.holdfast.statistics;

/**
 * How many alarms a namespace has, and what became of them.
 *
 * <p>{@code pending} and {@code due} have a change as soon as its turn has ended. After an opening,
 * and after the clock was set back, the alarms that are due are counted page by page in the
 * background: meanwhile {@code due} is too low.
 *
 * @param pending alarms that are set now; those whose handler runs included
 * @param due the alarms whose time has come
 * @param running how many handlers run now
 * @param ran how many handlers have returned
 * @param failed how many handlers have thrown or were reset; those that are tried again included
 * @param givenUp how many of the failed ones are not tried again
 * @param lateNanos how long after its time each handler began, in nanoseconds
 */
public record AlarmStatistics(
    long pending,
    long due,
    long running,
    long ran,
    long failed,
    long givenUp,
    HistogramSnapshot lateNanos) {

  /**
   * Returns what happened after an earlier snapshot.
   *
   * @param earlier the earlier snapshot
   * @return the difference, with the alarms that are pending, due and running now
   */
  public AlarmStatistics minus(AlarmStatistics earlier) {
    return new AlarmStatistics(
        pending,
        due,
        running,
        ran - earlier.ran,
        failed - earlier.failed,
        givenUp - earlier.givenUp,
        lateNanos.minus(earlier.lateNanos));
  }
}
