package dev.holdfast;

import java.time.Instant;
import java.time.InstantSource;

/**
 * The clock of a runtime: the time, timers, and threads for the work that timers start. Injected,
 * so that tests control time: {@code VirtualClock} in the testkit. Objects read it with {@link
 * ObjectContext#clock}, and SQL with {@code now}. Thread-safe.
 */
public interface TimeSource extends InstantSource {

  /** {@return milliseconds since 1970; may jump in either direction} */
  long wallMillis();

  /** {@inheritDoc} The same time as {@link #wallMillis}. */
  @Override
  default long millis() {
    return wallMillis();
  }

  /** {@inheritDoc} The same time as {@link #wallMillis}, perhaps more precise. */
  @Override
  default Instant instant() {
    return Instant.ofEpochMilli(wallMillis());
  }

  /**
   * Returns whether {@link #wallMillis} is the time of the operating system. Then SQLite reads it
   * by itself; else {@code now} in SQL is replaced by the time of this clock, and a call of a date
   * or time function costs some microseconds more.
   *
   * @return false unless overridden
   */
  default boolean isOfOperatingSystem() {
    return false;
  }

  /** {@return nanoseconds of a clock that never goes back; only differences are meaningful} */
  long monotonicNanos();

  /**
   * Runs a task once, after a delay, on a thread that many tasks share.
   *
   * @param delayNanos zero or more
   * @param task short, never blocks, never throws. A task that is also a {@link Wait} ends a wait
   *     of the current thread, which may be the only thread that would advance the clock of a test;
   *     such a clock ends the wait by itself if no thread advances it.
   * @return the timer, for cancelling
   */
  Timer schedule(long delayNanos, Runnable task);

  /**
   * Creates a thread for work that a timer starts and that is too long for the timer, such as the
   * handler of an alarm. The clock of a test does not advance while such a thread runs, unless the
   * thread is parked with a {@link Wait}.
   *
   * @param work the code of the thread
   * @return the thread, a virtual one, not started
   */
  default Thread newThread(Runnable work) {
    return Thread.ofVirtual().unstarted(work);
  }

  /**
   * A wait that may last until the clock advances. A thread of {@link #newThread} that waits so
   * parks with this as its blocker ({@link java.util.concurrent.locks.LockSupport#park(Object)}),
   * one object for each wait. The clock of a test then sees that the thread waits, and sees from
   * {@link #isOver} that it is about to continue, even before the thread does.
   */
  interface Wait {

    /**
     * {@return whether the thread will continue; stays true. The thread that makes it true does so
     * before it unparks the waiting thread}
     */
    boolean isOver();
  }

  /** A scheduled task. */
  interface Timer {

    /** {@return whether the task was cancelled; false if it has started or was cancelled before} */
    boolean cancel();
  }
}
