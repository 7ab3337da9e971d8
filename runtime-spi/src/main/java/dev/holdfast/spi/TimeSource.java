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

  /**
   * Runs a task like {@link #schedule}, to end a wait of the current thread, which may be the only
   * one that would have moved the clock of a test. Such a clock lets the time come by itself when
   * nobody moves it.
   *
   * @param delayNanos zero or more
   * @param task short, never blocks, never throws
   * @return for cancelling, when the wait has ended
   */
  default Timer scheduleEndOfWait(long delayNanos, Runnable task) {
    return schedule(delayNanos, task);
  }

  /**
   * Prepares work that a timer sets off on another thread. A clock of a test counts it from now
   * until it has run, and does not go on meanwhile; a real one has no use for that.
   *
   * @param work what another thread is going to run
   * @return what it is to run instead
   */
  default Runnable follow(Runnable work) {
    return work;
  }

  /**
   * Takes back {@link #follow}: the work will not run, as no thread could be started for it. A
   * clock of tests would wait for it without end.
   *
   * @param followed what {@link #follow} returned; it has not begun to run
   */
  default void unfollow(Runnable followed) {}

  /**
   * {@return whether the current thread runs work that is followed: what it waits for must then run
   * on it, too, or be told to {@link #pause}; else the clock waits for ever}
   */
  default boolean isFollowing() {
    return false;
  }

  /**
   * Announces that the current thread is going to wait for something that may take the clock to go
   * on.
   *
   * @return to be begun before the wait, and to be closed by whoever ends it before the thread is
   *     woken: the clock of a test would go on before the thread does
   */
  default Pause pause() {
    return Pause.NONE;
  }

  /**
   * {@return how many handlers of alarms may run at once; one in a test that is to be repeatable}
   */
  default int alarmsAtOnceMax() {
    return Integer.MAX_VALUE;
  }

  /** A wait during which the clock may go on. Thread-safe. */
  interface Pause extends AutoCloseable {

    /** The wait of a thread that nobody counts. */
    Pause NONE =
        new Pause() {
          @Override
          public void begin() {}

          @Override
          public void close() {}
        };

    /** Lets the clock go on, unless this was closed already. Called once. */
    void begin();

    /** Lets the clock stand for the thread again. Any thread may call this, more than once. */
    @Override
    void close();
  }

  /** A scheduled task. */
  interface Timer {

    /** {@return whether the task was taken back; false if it has begun or was cancelled before} */
    boolean cancel();
  }
}
