package dev.holdfast.spi;

/** The clock and timers of the runtime; injected so that tests can control time. Thread-safe. */
public interface TimeSource {

  /** {@return milliseconds since 1970; may jump in either direction} */
  long wallMillis();

  /** {@return nanoseconds of a clock that never goes back; only differences are meaningful} */
  long monotonicNanos();

  /**
   * Runs a task once, after a delay, on a thread that many tasks share.
   *
   * @param delayNanos zero or more
   * @param task short, never blocks, never throws
   * @return the timer, for cancelling
   */
  Timer schedule(long delayNanos, Runnable task);

  /**
   * Runs a task like {@link #schedule}, to end a wait of the current thread, which may be the only
   * thread that would advance the clock of a test. Such a clock advances by itself to the end of
   * the wait if no thread advances it.
   *
   * @param delayNanos zero or more
   * @param task short, never blocks, never throws
   * @return the timer, for cancelling, when the wait has ended
   */
  default Timer scheduleEndOfWait(long delayNanos, Runnable task) {
    return schedule(delayNanos, task);
  }

  /**
   * Wraps work that a timer starts on another thread. A test clock counts it from now until it has
   * run, and does not advance meanwhile; a real clock returns the work unchanged.
   *
   * @param work the work that another thread will run
   * @return the task to run instead
   */
  default Runnable follow(Runnable work) {
    return work;
  }

  /**
   * Undoes {@link #follow}: the work will not run, because no thread could be started for it. A
   * test clock would otherwise wait for it for ever.
   *
   * @param followed the task that {@link #follow} returned; it has not started
   */
  default void unfollow(Runnable followed) {}

  /**
   * {@return whether the current thread runs followed work. Work that it waits for must then also
   * run on this thread, or the wait must be announced with {@link #pause}; otherwise the clock
   * waits for ever}
   */
  default boolean isFollowing() {
    return false;
  }

  /**
   * Announces that the current thread is about to wait for something that may need the clock to
   * advance.
   *
   * @return the pause. Begin it before the wait; the code that ends the wait closes it before it
   *     wakes the thread: otherwise a test clock would advance before the thread continues
   */
  default Pause pause() {
    return Pause.NONE;
  }

  /**
   * {@return the maximum number of alarm handlers that run at once; 1 in a test that must be
   * repeatable}
   */
  default int alarmsAtOnceMax() {
    return Integer.MAX_VALUE;
  }

  /** A wait during which the clock may advance. Thread-safe. */
  interface Pause extends AutoCloseable {

    /** The wait of a thread that no clock counts. */
    Pause NONE =
        new Pause() {
          @Override
          public void begin() {}

          @Override
          public void close() {}
        };

    /** Lets the clock advance, unless this is already closed. Called once. */
    void begin();

    /** Makes the clock wait for the thread again. Any thread may call this, more than once. */
    @Override
    void close();
  }

  /** A scheduled task. */
  interface Timer {

    /** {@return whether the task was cancelled; false if it has started or was cancelled before} */
    boolean cancel();
  }
}
