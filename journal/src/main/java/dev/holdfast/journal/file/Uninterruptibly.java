package dev.holdfast.journal.file;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/** Waiting that an interrupt does not end; the interrupt flag is set again afterwards. */
public final class Uninterruptibly {

  private Uninterruptibly() {}

  public static void join(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Lets an executor finish all its tasks. Its own {@code close} would, on an interrupt, drop
   * queued tasks and interrupt running ones.
   */
  public static void close(ExecutorService executor) {
    executor.shutdown();
    boolean interrupted = false;
    boolean ended = false;
    while (!ended) {
      try {
        ended = executor.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
