package dev.holdfast.runtime.internal.gate;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lets one event of an object run at a time, in the order in which events came: a lock that is
 * handed over.
 *
 * <p><b>Why not a lock of the JDK.</b> A {@code ReentrantLock} that is not fair lets a newcomer
 * take what was meant for a waiter (barging), so two calls of one client could overtake each other
 * and a busy object could starve a waiter; neither kind knows critical sections, can be shut for
 * good with all its waiters, or can give the turn to an event that has no thread yet.
 *
 * <p><b>Fast path.</b> The word {@code state} is {@code OPEN}, {@code HELD} or {@code CONTENDED}.
 * While no waiter is queued and there is no section, taking and giving up the turn are one
 * compare-and-set each: OPEN to HELD and back. Everything else happens under this object's monitor
 * with the word at CONTENDED, which only the monitor's owner changes:
 *
 * <pre>{@code
 *        tryEnter                 a waiter queues, or a section opens
 * OPEN ------------> HELD ---------------------------------------------> CONTENDED
 *   ^ <------------   ^                                                   |   |
 *        release      +------- last waiter and section gone, held --------+   |
 *   +------------------------- last waiter and section gone, not held --------+
 * }</pre>
 *
 * <p><b>No lost wake-up.</b> A newcomer that finds HELD must move the word to CONTENDED by a
 * compare-and-set before it queues. Either that succeeds, and then the holder's own compare-and-set
 * (HELD to OPEN) fails and the holder comes to the monitor, where it finds the waiter; or the
 * holder was first, the newcomer's compare-and-set fails, and it tries OPEN to HELD.
 *
 * <p><b>No barging.</b> The holder that finds waiters does not open the gate: it makes the first of
 * them the holder while the word stays CONTENDED or HELD, so no fast path can succeed in between.
 *
 * <p><b>Critical sections.</b> Every section has a separate queue. The gate admits from the queue
 * of the innermost section and from no other, so that only events which the section itself started
 * get in. When a section is over its waiters go to the end of the next queue outwards. The
 * reference runtime needs a second queue, for sections about to start, which goes first: there a
 * section is started by a promise. Here it is started by the thread that holds the turn, and it
 * keeps holding it: no event can get in between by construction.
 *
 * <p><b>Shutting.</b> A shut gate never admits a waiter again. The thread that shuts it becomes the
 * holder if there was none; otherwise the holder sees it at its release. In each case exactly one
 * thread is left to clean up after the gate, and no turn runs when it does.
 *
 * <p>Waiters are called back without the monitor held, one after the other and never from within
 * each other: a queue of 100,000 needs no deep stack. The monitor is held for a few instructions
 * and no thread parks in it, so virtual threads do not pin in it for long. Thread-safe.
 */
public final class InputGate {

  /** What became of an attempt to enter. */
  public enum Entry {
    /** The turn belongs to the waiter. */
    ADMITTED,
    /** The waiter is queued after turns. */
    QUEUED,
    /** The waiter is queued after at least one critical section that it does not belong to. */
    QUEUED_BEHIND_SECTION,
    /** Too many wait already; the waiter is not queued. */
    FULL,
    /** The gate is shut for good; the waiter is not queued. */
    SHUT
  }

  private static final int OPEN = 0;
  private static final int HELD = 1;
  private static final int CONTENDED = 2;

  private static final VarHandle STATE;
  private static final VarHandle WAITING_COUNT;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(InputGate.class, "state", int.class);
      WAITING_COUNT =
          MethodHandles.lookup().findVarHandle(InputGate.class, "waitingCount", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile int state;

  // Guarded by this. "held" means something only while the word is CONTENDED.
  private boolean held;
  private boolean shut;
  private int waitingCount;
  private @Nullable Section section;
  private @Nullable WaiterQueue waiters;

  /**
   * Creates a gate.
   *
   * @param held whether it begins with a holder, which is to release it
   */
  public InputGate(boolean held) {
    this.state = held ? HELD : OPEN;
  }

  /** {@return whether a waiter is queued, or a section is open} */
  public boolean isContended() {
    return state == CONTENDED;
  }

  /** {@return whether the turn was free and now belongs to the caller} */
  public boolean tryEnter() {
    return state == OPEN && STATE.compareAndSet(this, OPEN, HELD);
  }

  /**
   * Takes the turn or queues for it.
   *
   * @param waiter wants it; in no queue
   * @param waitingMax how many may wait before this one is refused
   * @return what became of it
   */
  public Entry enter(Waiter waiter, int waitingMax) {
    synchronized (this) {
      while (state != CONTENDED) {
        if (STATE.compareAndSet(this, OPEN, HELD)) {
          return Entry.ADMITTED;
        }
        becomeContended();
      }
      if (shut) {
        return Entry.SHUT;
      }
      Section place = waiter.place();
      if (!held && place == section) {
        held = true;
        return Entry.ADMITTED;
      }
      if (waitingCount >= waitingMax) {
        settle();
        return Entry.FULL;
      }
      queueOf(place).append(waiter);
      waiter.setStanding(Waiter.Standing.QUEUED);
      waitingCount++;
      return place == section ? Entry.QUEUED : Entry.QUEUED_BEHIND_SECTION;
    }
  }

  /**
   * Gives up the turn: hands it to the next waiter, or opens the gate.
   *
   * @return whether the gate was shut while the caller held the turn; then the caller has to clean
   *     up after it
   */
  public boolean release() {
    if (STATE.compareAndSet(this, HELD, OPEN)) {
      return false;
    }
    Waiter next;
    int othersCount;
    synchronized (this) {
      if (shut) {
        return true;
      }
      assert held : "released by a thread that does not have the turn";
      // Creates no queue: for a release that fails there would be no other.
      WaiterQueue queue = section == null ? waiters : section.waiters();
      next = queue == null ? null : queue.poll();
      held = next != null;
      if (next != null) {
        waitingCount--;
        next.setStanding(Waiter.Standing.ADMITTED);
      }
      othersCount = waitingCount;
      settle();
    }
    if (next != null) {
      next.admitted(othersCount);
    }
    return false;
  }

  /**
   * Takes a waiter back out of its queue.
   *
   * @param waiter the waiter that gives up
   * @return whether it was queued; false if it was admitted or dismissed at the same moment
   */
  public synchronized boolean withdraw(Waiter waiter) {
    if (!waiter.isQueued()) {
      return false;
    }
    waiter.unlink();
    waiter.setStanding(Waiter.Standing.OUTSIDE);
    waitingCount--;
    settle();
    return true;
  }

  /**
   * Opens a critical section inside the innermost one. The caller holds the turn and keeps it, now
   * as the first event of the section.
   *
   * @param opener the caller; it waits, in the sense of a deadlock, until the section is over
   * @param depth how deep the section is nested
   * @return the section; null if the gate is shut
   */
  public synchronized @Nullable Section open(Waiter opener, int depth) {
    becomeContended();
    if (shut) {
      return null;
    }
    section = new Section(section, opener, depth);
    opener.moveTo(section);
    return section;
  }

  /**
   * Ends the innermost critical section. The caller holds the turn as an event of that section and
   * keeps it, as an event of the next section outwards; waiters inside move there too.
   *
   * @param ended the section
   * @return false if the gate is shut
   */
  public synchronized boolean close(Section ended) {
    if (shut) {
      return false;
    }
    if (section != ended) {
      throw new IllegalStateException("Only the innermost section can end.");
    }
    WaiterQueue outer = queueOf(ended.parent()); // first: it may find no memory
    ended.end();
    section = ended.parent();
    outer.takeAll(ended.waiters());
    settle();
    return true;
  }

  /**
   * Shuts the gate for good. All waiters leave their queues, but are not notified yet: that may run
   * code of the application, which must not hold up the cleaning. Takes no memory.
   *
   * @param dismissal gets what is left to do by the caller
   * @return whether there is something; false if the gate was shut before
   */
  public boolean shut(Dismissal dismissal) {
    synchronized (this) {
      if (shut) {
        return false;
      }
      while (state != CONTENDED) {
        if (STATE.compareAndSet(this, OPEN, CONTENDED)) {
          held = false;
        } else {
          becomeContended();
        }
      }
      shut = true;
      dismissal.setWasHeld(held);
      held = true;
      takeAllWaiters(dismissal.dismissed());
    }
    return true;
  }

  /**
   * Shuts the gate for good if no waiter is queued and no section is open. The caller holds the
   * turn.
   *
   * @return whether it is shut; the caller has to clean up after it. If not, the caller still holds
   *     the turn.
   */
  public synchronized boolean shutIfNobodyWaits() {
    if (!STATE.compareAndSet(this, HELD, CONTENDED)) {
      return false;
    }
    held = true;
    shut = true;
    return true;
  }

  /** {@return how many wait, in all queues; racy: the monitor belongs to those that queue} */
  public int waitingCount() {
    return (int) WAITING_COUNT.getOpaque(this);
  }

  /**
   * Names those that opened the sections that must be over before a waiter can be admitted.
   *
   * @param waiter the waiter; if it is not queued, there are none
   * @param action what to do with each, innermost first; must not use the gate
   */
  public synchronized void openersAheadOf(Waiter waiter, Consumer<Waiter> action) {
    if (!waiter.isQueued()) {
      return;
    }
    Section place = waiter.place();
    for (Section each = section; each != null && each != place; each = each.parent()) {
      action.accept(each.opener());
    }
  }

  private void takeAllWaiters(WaiterQueue target) {
    for (Section each = section; each != null; each = each.parent()) {
      each.end();
      target.takeAll(each.waiters());
    }
    if (waiters != null) {
      target.takeAll(waiters);
    }
    target.setStandings(Waiter.Standing.DISMISSED);
    section = null;
    waitingCount = 0;
  }

  /** Moves the word from HELD to CONTENDED, so that the holder's release comes to the monitor. */
  private void becomeContended() {
    if (STATE.compareAndSet(this, HELD, CONTENDED)) {
      held = true;
    }
  }

  /** Moves the word back to the fast path once there is nothing left that needs the monitor. */
  private void settle() {
    assert waitingCount >= 0 : waitingCount;
    if (!shut && section == null && waitingCount == 0) {
      state = held ? HELD : OPEN;
    }
  }

  private WaiterQueue queueOf(@Nullable Section place) {
    if (place != null) {
      return place.waiters();
    }
    WaiterQueue queue = waiters;
    if (queue == null) {
      queue = new WaiterQueue();
      waiters = queue;
    }
    return queue;
  }
}
