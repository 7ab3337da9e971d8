package dev.holdfast.spi;

/** Time as the runtime sees it; injected so that tests own it. Thread-safe. */
public interface TimeSource {

  /** {@return milliseconds since 1970; may jump in either direction} */
  long wallMillis();

  /** {@return nanoseconds of a clock that never goes back; only differences mean something} */
  long monotonicNanos();

  /**
   * Runs a task once, after a delay, on a thread that many tasks share.
   *
   * @param delayNanos zero or more
   * @param task short, never blocks, never throws
   * @return for cancelling
   */
  Timer schedule(long delayNanos, Runnable task);

  /** A scheduled task. */
  interface Timer {

    /** {@return whether the task was taken back; false if it has begun or was cancelled before} */
    boolean cancel();
  }
}
