package dev.holdfast.journal;

import dev.holdfast.journal.file.Uninterruptibly;
import dev.holdfast.journal.group.FaultLog;
import java.util.concurrent.locks.LockSupport;

/**
 * The platform thread that leads a flush when no waiter may: virtual threads and callbacks cannot.
 * Thread-safe.
 */
final class Flusher implements AutoCloseable {

  private final Runnable flush;
  private final Thread thread;
  private volatile boolean onDuty;
  private volatile boolean stopped;

  /**
   * @param flush leads one flush
   */
  Flusher(Runnable flush) {
    this.flush = flush;
    this.thread = Thread.ofPlatform().daemon().name("holdfast-journal-flush").unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /**
   * Makes this thread the leader of the next flush. Called by the thread that claimed leadership
   * for it.
   */
  void lead() {
    onDuty = true;
    LockSupport.unpark(thread);
  }

  private void run() {
    while (!stopped || onDuty) {
      if (onDuty) {
        onDuty = false;
        try {
          flush.run();
        } catch (RuntimeException | Error e) {
          // No other thread leads for virtual threads: this one must survive every error.
          FaultLog.error("A flush of the journal did not end well", thread, e);
        }
      } else {
        LockSupport.park(this);
      }
    }
  }

  /** Ends the thread after the flush it may be leading. */
  @Override
  public void close() {
    stopped = true;
    LockSupport.unpark(thread);
    Uninterruptibly.join(thread);
  }
}
