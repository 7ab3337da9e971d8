package dev.holdfast.runtime;

import dev.holdfast.TimeSource;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * The time of the machine: the only class of the engine that reads a clock. Its timers run on one
 * daemon thread, its threads are virtual. Thread-safe.
 */
public final class SystemTimeSource implements TimeSource, AutoCloseable {

  private final ScheduledThreadPoolExecutor timers;
  private final ThreadFactory threads = Thread.ofVirtual().name("holdfast-alarm-", 0).factory();

  /** Creates a time source; its thread starts with the first timer. */
  public SystemTimeSource() {
    this.timers =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("holdfast-timers").factory());
    // Most timers are time-outs that never fire: without this they would accumulate until due.
    timers.setRemoveOnCancelPolicy(true);
  }

  @Override
  public long wallMillis() {
    return System.currentTimeMillis();
  }

  @Override
  public boolean isOfOperatingSystem() {
    return true;
  }

  @Override
  public long monotonicNanos() {
    return System.nanoTime();
  }

  @Override
  public Timer schedule(long delayNanos, Runnable task) {
    ScheduledFuture<?> future = timers.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
    return () -> future.cancel(false);
  }

  @Override
  public Thread newThread(Runnable work) {
    return threads.newThread(work);
  }

  /** Drops all timers and ends the thread. */
  @Override
  public void close() {
    timers.shutdownNow();
  }
}
