package dev.holdfast.schedules;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One thread of a {@link DeterministicScheduler}, and the executor that receives its continuation
 * whenever it can run. A thread that it starts inherits the executor and counts as a part of it.
 */
final class ScheduledThread implements Executor {

  private final ScheduledThreads threads;
  private final String name;
  private final Thread thread;
  private final Runnable task;

  /** More than zero while the thread must not be interleaved. Confined to the thread. */
  private int regionDepth;

  ScheduledThread(ScheduledThreads threads, String name, Runnable task) {
    this.threads = threads;
    this.name = name;
    this.task = task;
    this.thread = ScheduledVirtualThreads.newThread(this, name, this::runTask);
  }

  /** Returns the scheduled thread of a thread; null if no scheduler runs it. */
  static @Nullable ScheduledThread of(Thread thread) {
    return ScheduledVirtualThreads.executorOf(thread) instanceof ScheduledThread known
        ? known
        : null;
  }

  String name() {
    return name;
  }

  Thread thread() {
    return thread;
  }

  /** The threads of its scheduler. */
  ScheduledThreads threads() {
    return threads;
  }

  boolean mayBeInterleaved() {
    return regionDepth == 0;
  }

  void countRegion(int change) {
    regionDepth += change;
  }

  @Override
  public void execute(Runnable continuation) {
    threads.makeReady(this, continuation);
  }

  private void runTask() {
    Throwable failure = null;
    try {
      task.run();
    } catch (Throwable e) {
      // Any exception that ends a thread is the result of the schedule.
      failure = e;
    } finally {
      threads.ended(this, failure);
    }
  }
}
