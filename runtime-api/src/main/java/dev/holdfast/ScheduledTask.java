package dev.holdfast;

/** A timer that {@link ObjectContext#schedule} has set. Thread-safe. */
public interface ScheduledTask {

  /**
   * Cancels the timer.
   *
   * @return true if the task will not run; false if it already runs, has run or was cancelled
   */
  boolean cancel();
}
