package dev.holdfast.backend.sqlite.catalog;

import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.spi.StorageThreads;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The background work of the catalog. Thread-safe. */
final class CatalogWork {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private final StorageThreads threads;

  /** Held briefly: turns take it, and must not wait for a sync. */
  private final ReentrantLock runningLock = new ReentrantLock();

  private final Condition idle = runningLock.newCondition();

  // Guarded by runningLock.
  private int runningCount;

  CatalogWork(StorageThreads threads) {
    this.threads = threads;
  }

  /** Waits until no background work is running; for tests that read the files. */
  void awaitIdle() {
    runningLock.lock();
    try {
      while (runningCount > 0) {
        idle.awaitUninterruptibly();
      }
    } finally {
      runningLock.unlock();
    }
  }

  /**
   * Runs work in the background, unless it is already due.
   *
   * @param due cleared by the work when it begins
   */
  void later(AtomicBoolean due, Runnable work) {
    if (due.get()) {
      return; // the usual reply to a turn while much is waiting
    }
    begun();
    boolean handedOver = false;
    try {
      handedOver =
          threads.execute(
              due,
              () -> {
                try {
                  work.run();
                } catch (JournalFailedException e) {
                  // The runtime as a whole has failed, which is reported elsewhere.
                  LOG.log(Level.DEBUG, "The catalog was not saved: the journal has failed.", e);
                } finally {
                  ended();
                }
              });
    } catch (RejectedExecutionException e) {
      LOG.log(Level.DEBUG, "The storage threads have ended; the journal keeps the catalog.", e);
    } finally {
      if (!handedOver) {
        ended();
      }
    }
  }

  private void begun() {
    runningLock.lock();
    try {
      runningCount++;
    } finally {
      runningLock.unlock();
    }
  }

  private void ended() {
    runningLock.lock();
    try {
      runningCount--;
      idle.signalAll();
    } finally {
      runningLock.unlock();
    }
  }
}
