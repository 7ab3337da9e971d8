package dev.holdfast.runtime.internal.turn;

import org.jspecify.annotations.Nullable;

/** What an execution runs that no thread waits for: a task, a timer. */
public interface BackgroundEvent extends Execution.Operation {

  /**
   * Runs object code, in a turn.
   *
   * @throws Throwable whatever the code throws
   */
  void run() throws Throwable;

  /**
   * Called when the event is over, without a turn.
   *
   * @param failure what {@link #run} threw, or why the event was reset or never ran; null if it
   *     ended well
   */
  void ended(@Nullable Throwable failure);
}
