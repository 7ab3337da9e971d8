package dev.holdfast.journal.group;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One thread that waits for a signal from another. Created by the waiting thread; signalled once,
 * by any thread.
 */
public final class DurabilityWaiter {

  /** The signal that a waiter receives. */
  public enum Signal {
    /** Check again: the outcome is settled. */
    SETTLED,
    /** Lead the next flush yourself. */
    LEAD
  }

  private final Thread thread = Thread.currentThread();
  private volatile @Nullable Signal signal;

  /**
   * {@return whether the thread may lead a flush: a sync would pin the carrier of a virtual thread}
   */
  public boolean mayLead() {
    return !thread.isVirtual();
  }

  /** Signals and wakes the thread. */
  public void signal(Signal newSignal) {
    signal = newSignal;
    LockSupport.unpark(thread);
  }

  public boolean isSignalled() {
    return signal != null;
  }

  /**
   * Blocks until signalled. An interrupt does not end the wait; the flag is set again afterwards.
   */
  public Signal await() {
    boolean interrupted = false;
    Signal received = signal;
    while (received == null) {
      LockSupport.park(this);
      interrupted |= Thread.interrupted();
      received = signal;
    }
    if (interrupted) {
      thread.interrupt();
    }
    return received;
  }
}
