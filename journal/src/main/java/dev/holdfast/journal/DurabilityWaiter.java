package dev.holdfast.journal;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One thread that waits for another to tell it what happened. Made by the thread that waits; told
 * once, by any thread.
 */
final class DurabilityWaiter {

  /** What a waiter is told. */
  enum Word {
    /** Look again: what was waited for is settled. */
    SETTLED,
    /** Lead the next flush yourself. */
    LEAD
  }

  private final Thread thread = Thread.currentThread();
  private volatile @Nullable Word word;

  /**
   * {@return whether the thread may lead a flush: a sync would pin the carrier of a virtual one}
   */
  boolean mayLead() {
    return !thread.isVirtual();
  }

  /** Wakes the thread. */
  void tell(Word newWord) {
    word = newWord;
    LockSupport.unpark(thread);
  }

  boolean isTold() {
    return word != null;
  }

  /** Blocks until told. An interrupt does not end the wait; the flag is set again afterwards. */
  Word await() {
    boolean interrupted = false;
    Word told = word;
    while (told == null) {
      LockSupport.park(this);
      interrupted |= Thread.interrupted();
      told = word;
    }
    if (interrupted) {
      thread.interrupt();
    }
    return told;
  }
}
