package dev.holdfast.runtime.internal.turn;

import dev.holdfast.errors.MisuseException;
import dev.holdfast.runtime.internal.gate.Headroom;
import dev.holdfast.runtime.internal.gate.InputGate.Entry;
import java.util.concurrent.locks.LockSupport;

/**
 * The waits of an instance's executions: a wait is {@link #suspend} (seal, open the gate), block,
 * {@link #resume} (queue at the gate, in the section that the execution belongs to). Java's own
 * stack is the continuation.
 *
 * <p>Owned by the holder of the turn, but for what says otherwise.
 */
public final class Suspension {

  private static final int HAND_OVERS_AFTER_WAIT = 64;

  private final Turns turns;
  private final WaitingExecutions waiting = new WaitingExecutions();
  private int suspendedCount;

  /** So many calls are left to their callers before a drain may take one again. */
  private int handOverCount;

  Suspension(Turns turns) {
    this.turns = turns;
  }

  /** {@return whether no execution is inside a wait} */
  public boolean isEmpty() {
    return suspendedCount == 0;
  }

  /** {@return whether a drain may take the next call; asked by who gives up the turn} */
  boolean mayDrain() {
    if (handOverCount > 0) {
      handOverCount--;
      return false;
    }
    return true;
  }

  /**
   * Ends the turn of an execution that is going to wait.
   *
   * @param execution whose turn it is
   * @return what words that leave now depend on: the position of the output gate as the turn left
   *     it. Whoever gets in next may raise it; that is not for this execution to wait for.
   * @throws ResetError if the turn cannot be sealed; or if it is not a turn of this execution,
   *     which was reset while it was outside
   * @throws MisuseException if a synchronous transaction is open; nothing has happened
   */
  public long suspend(Execution execution) {
    if (!turns.isRunning(execution)) {
      // Its work outside of the turn goes on in Java and may call; the store turn that is open now,
      // and whatever else is owned by the turn, is somebody else's, who may be using it.
      throw new ResetError(turns.key().toString());
    }
    turns.transactions().refuseWait();
    turns.sealBeforeWait(execution);
    suspendedCount++;
    if (execution.isDrained()) {
      // Calls that wait keep their threads. To give each a thread of its own, beside that of its
      // caller, costs more than to wake the caller.
      handOverCount = HAND_OVERS_AFTER_WAIT;
    }
    long snapshot = turns.output().position();
    turns.leave();
    return snapshot;
  }

  /**
   * Begins the next turn of an execution that has waited. Interrupts do not end this wait; the flag
   * is kept.
   *
   * @param execution who wants to go on
   * @throws ResetError if the instance was reset meanwhile
   */
  public void resume(Execution execution) {
    boolean queued = false;
    boolean entered = turns.gate().tryEnter();
    try {
      if (!entered) {
        turns.ending.recoverIfLost();
        Headroom.require();
        Entry entry = turns.gate().enter(execution, Integer.MAX_VALUE);
        queued = entry == Entry.QUEUED || entry == Entry.QUEUED_BEHIND_SECTION;
        if (entry == Entry.QUEUED_BEHIND_SECTION) {
          turns.services().deadlocks().resetIfStuck(execution);
        }
        execution.parkUntilDecided();
        if (entry == Entry.SHUT || execution.isDismissed()) {
          throw new ResetError(turns.key().toString());
        }
        entered = true;
      }
      turns.begin(execution);
    } catch (VirtualMachineError e) {
      boolean isHolder = entered || (queued && execution.isAdmittedAfterAll());
      if (isHolder && turns.current != execution) {
        turns.ending.lost = true;
      }
      throw e;
    }
    suspendedCount--;
    turns.unwindIfReset();
  }

  /** Parks outside of the turn while a condition lasts. A reset ends it; it may end too early. */
  void park(Execution execution, Object blocker) {
    boolean added = waiting.add(execution);
    // Added before it looks, and a reset is noted before it looks for who waits: either the reset
    // finds this thread and wakes it, or this thread finds the reset. No wake-up is lost.
    if (!turns.isReset()) {
      LockSupport.park(blocker);
    }
    if (added) {
      waiting.remove(execution);
    }
  }

  /** {@return who is outside of the turn, and would not notice a reset} */
  WaitingExecutions waiting() {
    return waiting;
  }
}
