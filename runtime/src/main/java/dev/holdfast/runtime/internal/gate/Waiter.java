package dev.holdfast.runtime.internal.gate;

import org.jspecify.annotations.Nullable;

/**
 * A candidate for the turn of an object, and a link of the gate's queues: queueing costs no further
 * memory, and leaving the middle of a queue costs no search.
 *
 * <p>Waits for one gate at a time, its own object's. The links and the place are guarded by that
 * gate's monitor; the standing is written under it and read by any thread.
 */
public abstract class Waiter {

  /** Where a waiter stands with its gate. */
  enum Standing {
    /** In no queue. */
    OUTSIDE,
    /** In a queue of the gate. */
    QUEUED,
    /** Taken out of the queue and given the turn. */
    ADMITTED,
    /** Taken out of the queue because the gate was shut for good. */
    DISMISSED
  }

  // Guarded by the gate's monitor.
  @Nullable Waiter previous;
  @Nullable Waiter next;
  private @Nullable Section place;

  /** Null for outside: to write it in the constructor would cost each call a memory barrier. */
  private volatile @Nullable Standing standing;

  /** For subclasses. */
  protected Waiter() {}

  /**
   * Called once, without a lock held, by the thread that gave up the turn: the turn now belongs to
   * this waiter.
   *
   * @param waitingCount how many others waited at that moment
   */
  protected abstract void admitted(int waitingCount);

  /** Called once, without a lock held, by the thread that shut the gate. */
  protected abstract void dismissed();

  /** {@return whether this waits in a queue of its gate} */
  public final boolean isQueued() {
    return standing == Standing.QUEUED;
  }

  /** {@return whether the gate was shut while this waited} */
  public final boolean isDismissed() {
    return standing == Standing.DISMISSED;
  }

  /** {@return whether this has queued and then been given the turn} */
  public final boolean isAdmitted() {
    return standing == Standing.ADMITTED;
  }

  final void setStanding(Standing now) {
    standing = now;
  }

  /** {@return the innermost section this belongs to that is not over; null for none} */
  public final @Nullable Section place() {
    Section living = Section.living(place);
    // Forget sections that are over, or a long-lived task would keep a chain of them alive.
    place = living;
    return living;
  }

  /**
   * Sets where this waiter belongs from now on. Called by the thread that holds the turn, or before
   * another thread sees the waiter.
   *
   * @param section the section whose events include this one; null for none
   */
  public final void moveTo(@Nullable Section section) {
    place = section;
  }

  final void unlink() {
    Waiter before = previous;
    Waiter after = next;
    if (before == null || after == null) {
      throw new IllegalStateException("This waiter is in no queue.");
    }
    before.next = after;
    after.previous = before;
    previous = null;
    next = null;
  }
}
