package dev.holdfast;

/** A timer of an object, set with {@link ObjectContext#schedule}. Thread-safe. */
public interface ScheduledTask {

  /**
   * Cancels the timer.
   *
   * @return true if the task will not run; false if it already runs, has run or was cancelled
   *     before
   */
  boolean cancel();
}
