package dev.holdfast.statistics;

/**
 * How calls ended. Calls from outside and from other objects count alike; alarms, tasks and timers
 * do not.
 *
 * @param returned calls whose code returned
 * @param threw calls whose code threw an exception; their writes stay
 * @param reset calls that a reset of the object ended
 * @param timedOut calls whose callers gave up after their time-out. Where the call had begun it
 *     goes on, and counts once more when it ends
 * @param overloaded calls that were refused because too many waited for the object
 */
public record CallStatistics(
    long returned, long threw, long reset, long timedOut, long overloaded) {

  /**
   * Returns what happened after an earlier snapshot.
   *
   * @param earlier the earlier snapshot
   * @return the difference
   */
  public CallStatistics minus(CallStatistics earlier) {
    return new CallStatistics(
        returned - earlier.returned,
        threw - earlier.threw,
        reset - earlier.reset,
        timedOut - earlier.timedOut,
        overloaded - earlier.overloaded);
  }
}
