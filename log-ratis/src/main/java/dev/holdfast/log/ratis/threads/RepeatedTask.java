package dev.holdfast.log.ratis.threads;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** A thread that does one thing again and again. Thread-safe. */
public final class RepeatedTask {

  private static final long FAILED_NANOS = 250_000_000;

  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread thread;

  /**
   * Creates it; {@link #begin} begins.
   *
   * @param name of the thread
   * @param pauseNanos how long it waits, asked after each time
   * @param task what it does
   */
  public RepeatedTask(String name, LongSupplier pauseNanos, Runnable task) {
    this.thread = Thread.ofPlatform().name(name).daemon().unstarted(() -> run(pauseNanos, task));
  }

  private void run(LongSupplier pauseNanos, Runnable task) {
    try {
      long nanos;
      do {
        nanos = FAILED_NANOS;
        try {
          task.run();
          nanos = pauseNanos.getAsLong();
        } catch (Throwable e) { // also without memory: others rest as long as this goes on
          System.getLogger("dev.holdfast")
              .log(System.Logger.Level.WARNING, "A look at the logs has failed; it comes again", e);
        }
      } while (!ended.await(nanos, TimeUnit.NANOSECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // nobody does that
    }
  }

  /** Begins. */
  public void begin() {
    thread.start();
  }

  /** Does it no more, without waiting for the last time. */
  public void end() {
    ended.countDown();
  }
}
