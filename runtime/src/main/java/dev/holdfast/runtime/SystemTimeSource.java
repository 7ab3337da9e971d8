package dev.holdfast.runtime;

import dev.holdfast.spi.TimeSource;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The time of the machine: the one class of the engine that reads a clock. Its timers run on one
 * daemon thread. Thread-safe.
 */
public final class SystemTimeSource implements TimeSource, AutoCloseable {

  private final ScheduledThreadPoolExecutor timers;

  /** Creates a time source; its thread starts with the first timer. */
  public SystemTimeSource() {
    this.timers =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("holdfast-timers").factory());
    // Most timers are time-outs that never fire: without this they would pile up until due.
    timers.setRemoveOnCancelPolicy(true);
  }

  @Override
  public long wallMillis() {
    return System.currentTimeMillis();
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

  /** Drops all timers and ends the thread. */
  @Override
  public void close() {
    timers.shutdownNow();
  }
}
