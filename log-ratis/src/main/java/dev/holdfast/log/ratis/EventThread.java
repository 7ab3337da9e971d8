package dev.holdfast.log.ratis;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;

/** A thread to which events are handed over, in their order. Thread-safe. */
final class EventThread implements Executor {

  private final ExecutorService thread;

  EventThread(String name) {
    this.thread =
        Executors.newSingleThreadExecutor(Thread.ofPlatform().name(name).daemon().factory());
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
  void end() {
    thread.shutdown();
  }
}
