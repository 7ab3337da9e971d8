package dev.holdfast.runtime;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.AbstractOwnableSynchronizer;
import java.util.concurrent.locks.LockSupport;

/** Code that a test runs on a separate thread, with a check whether it is blocked. */
public final class RunningCall {

  /** The state of a thread and what it waits for cannot be read at one moment. */
  private static final int LOOKS = 3;

  private final CompletableFuture<Object> result = new CompletableFuture<>();
  private final Thread thread;

  public RunningCall(ThreadFactory threads, Callable<?> call) {
    this.thread = threads.newThread(() -> complete(call));
    thread.start();
  }

  private void complete(Callable<?> call) {
    try {
      result.complete(call.call());
    } catch (Throwable e) {
      result.completeExceptionally(e);
    }
  }

  /** Waits until the thread is parked, so that it is in the queue. */
  public RunningCall awaitParked() {
    int looks = 0;
    while (looks < LOOKS) {
      looks = isParked() ? looks + 1 : 0;
      Thread.yield();
    }
    return this;
  }

  /** A wait for a lock does not count; it ends soon. */
  private boolean isParked() {
    if (waitsForLock()) {
      return false;
    }
    Thread.State state = thread.getState();
    if (state == Thread.State.TERMINATED) {
      throw new AssertionError("The thread ended instead of waiting: " + result);
    }
    // Read before and after: in between the thread may have begun or ended a wait for a lock.
    return state == Thread.State.WAITING && !waitsForLock();
  }

  private boolean waitsForLock() {
    return LockSupport.getBlocker(thread) instanceof AbstractOwnableSynchronizer;
  }

  public boolean isDone() {
    return result.isDone();
  }

  public void interrupt() {
    thread.interrupt();
  }

  public Thread thread() {
    return thread;
  }

  public Object get() throws Exception {
    return result.get();
  }

  /** Waits for the failure. */
  public Throwable failure() throws InterruptedException {
    try {
      throw new AssertionError("No failure, but " + result.get());
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }
}
