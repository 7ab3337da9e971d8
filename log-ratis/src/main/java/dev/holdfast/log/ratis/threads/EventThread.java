package dev.holdfast.log.ratis.threads;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A thread to which events are handed over, in their order. It ends when there are none for a
 * while: most shards of a node have none. Thread-safe.
 */
public final class EventThread implements Executor {

  private static final long IDLE_SECONDS = 10;

  private final ThreadPoolExecutor thread;

  /**
   * Creates it without a thread.
   *
   * @param name of the thread
   */
  public EventThread(String name) {
    this.thread =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().name(name).daemon().factory());
    thread.allowCoreThreadTimeOut(true);
  }

  @Override
  public void execute(Runnable event) {
    try {
      thread.execute(event);
    } catch (RejectedExecutionException e) {
      // The thread has ended with its owner, which is closed: nobody waits for events.
      assert thread.isShutdown();
    }
  }

  /** Takes no further events, without waiting for those before. */
  public void end() {
    thread.shutdown();
  }
}
