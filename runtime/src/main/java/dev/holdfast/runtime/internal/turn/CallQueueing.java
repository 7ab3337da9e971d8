package dev.holdfast.runtime.internal.turn;

import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectOverloadedException;
import java.util.concurrent.locks.LockSupport;

/**
 * The wait of a call for its first turn. Ends early when the thread is interrupted, the caller
 * gives up, or the object that makes the call is reset: the call then leaves the queue without a
 * trace, unless it is admitted at that very moment: then it runs. Stateless.
 */
final class CallQueueing {

  private CallQueueing() {}

  /**
   * Takes the turn for a call or queues for it.
   *
   * @return whether it may run; false if the instance is gone
   * @throws ObjectOverloadedException if too many wait
   * @throws InstanceResetException if the instance was reset while the call waited
   */
  static boolean admit(Execution call, int waitingMax, Patience patience) {
    Turns turns = call.turns();
    switch (turns.gate().enter(call, waitingMax)) {
      case ADMITTED -> {
        return true;
      }
      case SHUT -> {
        return false;
      }
      case FULL ->
          throw new ObjectOverloadedException(
              turns.key().namespace(), turns.key().id(), turns.gate().waitingCount());
      case QUEUED -> park(call, patience);
      case QUEUED_BEHIND_SECTION -> {
        turns.services().deadlocks().refuseCall(call);
        park(call, patience);
      }
    }
    if (call.isDismissed()) {
      call.setPosition(turns.resetPosition());
      throw turns.resetException(call);
    }
    return true;
  }

  /** Parks the current thread until the gate has decided about the call. */
  private static void park(Execution call, Patience patience) {
    boolean interrupted = false;
    try {
      while (call.isQueued()) {
        interrupted |= Thread.interrupted();
        if ((interrupted || patience.isExhausted() || callerIsReset(call))
            && call.turns().gate().withdraw(call)) {
          throw call.withdrawal();
        }
        parkOnce(call);
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static void parkOnce(Execution call) {
    Execution outer = call.outer();
    if (outer != null && outer.runsOn(Thread.currentThread())) {
      // A reset of the calling object looks for its executions there.
      outer.turns().park(outer, call);
    } else {
      LockSupport.park(call);
    }
  }

  private static boolean callerIsReset(Execution call) {
    Execution outer = call.outer();
    return outer != null && outer.turns().isReset();
  }
}
