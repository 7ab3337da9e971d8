package dev.holdfast.runtime.internal.turn;

import dev.holdfast.InstanceResetException;
import dev.holdfast.errors.ObjectOverloadedException;
import dev.holdfast.runtime.internal.gate.Headroom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The wait of a call for its first turn. Ends early when the thread is interrupted, the caller
 * gives up, or the object that makes the call is reset: the call then leaves the queue without a
 * trace, unless it is admitted at that very moment: then it runs. Stateless.
 */
public final class CallQueueing {

  /**
   * How often to look again before queueing, while nobody else waits: about a microsecond. To park
   * and be woken costs five; most turns are over sooner. Who is not in the queue yet overtakes
   * nobody.
   */
  private static final int SPINS = Runtime.getRuntime().availableProcessors() > 1 ? 64 : 0;

  private CallQueueing() {}

  /** What became of a call. */
  private enum Admission {
    /** It is the call's turn, and the current thread has to run it. */
    ADMITTED,
    /** It was run by another thread and has its reply. */
    HAS_RUN,
    /** The instance is gone and another must be looked up. */
    GONE
  }

  private static Admission admit(
      Execution call,
      ExecutionStack stack,
      int waitingMax,
      Patience patience,
      QueuedCall.Code code) {
    Turns turns = call.turns();
    if (enterSoon(turns)) {
      return Admission.ADMITTED;
    }
    turns.ending().recoverIfLost();
    if (turns.isReset()) {
      return Admission.GONE;
    }
    Headroom.require();
    QueuedCall queued = null;
    if (patience.equals(Patience.UNLIMITED) && !turns.services().time().isFollowing()) {
      // Who may give up has a thread of its own already, and interrupts it.
      queued = new QueuedCall(call, code);
      call.setQueued(queued);
    }
    int max = patience.equals(Patience.OPERATOR) ? Integer.MAX_VALUE : waitingMax;
    switch (turns.gate().enter(call, max)) {
      case ADMITTED -> {
        return Admission.ADMITTED;
      }
      case SHUT -> {
        return Admission.GONE;
      }
      case FULL ->
          throw new ObjectOverloadedException(
              turns.key().namespace(), turns.key().id(), turns.gate().waitingCount());
      case QUEUED -> {
        stack.noteDelivered(turns.key());
        await(call, queued, patience, /* behindSection= */ false);
      }
      case QUEUED_BEHIND_SECTION -> {
        stack.noteDelivered(turns.key());
        await(call, queued, patience, /* behindSection= */ true);
      }
    }
    if (call.isDismissed()) {
      call.setOver(turns.ending().resetPosition());
      throw turns.ending().resetException(call);
    }
    return queued == null || queued.isForCaller() ? Admission.ADMITTED : Admission.HAS_RUN;
  }

  /**
   * Brings a call into its first turn, and runs it.
   *
   * @param call the call, made by the current thread
   * @param stack that of the current thread
   * @param waitingMax how many may wait before it is refused
   * @param patience when to give up
   * @param code what the call runs, on whatever thread
   * @return false if the instance is gone and another must be looked up
   * @throws ObjectOverloadedException if too many wait
   * @throws InstanceResetException if the instance was reset while the call waited
   */
  public static boolean deliver(
      Execution call,
      ExecutionStack stack,
      int waitingMax,
      Patience patience,
      QueuedCall.Code code) {
    Turns turns = call.turns();
    Execution below = stack.top;
    boolean admitted = false;
    try {
      Admission admission =
          turns.tryEnter() ? Admission.ADMITTED : admit(call, stack, waitingMax, patience, code);
      if (admission == Admission.ADMITTED) {
        admitted = true;
        if (stack.sent != null) {
          stack.noteDelivered(turns.key());
        }
        code.run(call, stack);
      }
      return admission != Admission.GONE;
    } catch (VirtualMachineError e) {
      // As Turns.noteLost, but with fields only: there may be no stack for a method.
      if (admitted && (!call.over || turns.current == call)) {
        if (call.begun && turns.current != call) {
          // Others may have the turn.
          turns.ending.due = true;
        } else {
          turns.ending.lost = true;
        }
      }
      stack.top = below;
      throw e;
    }
  }

  private static boolean enterSoon(Turns turns) {
    for (int i = 0; i < SPINS && !turns.gate().isContended(); i++) {
      Thread.onSpinWait();
      if (turns.tryEnter()) {
        return true;
      }
    }
    return false;
  }

  private static void await(
      Execution call, @Nullable QueuedCall queued, Patience patience, boolean behindSection) {
    try {
      if (behindSection) {
        call.turns().services().deadlocks().refuseCall(call);
      }
      park(call, queued, patience);
    } catch (VirtualMachineError e) {
      // Out of memory: to park a virtual thread takes some.
      if (call.isAdmittedAfterAll() && (queued == null || queued.isForCaller())) {
        call.turns().ending().lost = true;
      }
      throw e;
    }
  }

  /** Parks the current thread until the gate has decided about the call. */
  private static void park(Execution call, @Nullable QueuedCall queued, Patience patience) {
    boolean interrupted = false;
    try {
      while (call.isQueued()) {
        interrupted |= Thread.interrupted();
        if ((interrupted || patience.isExhausted() || callerIsReset(call))
            && call.turns().gate().withdraw(call)) {
          throw call.withdrawal();
        }
        if (queued != null) {
          queued.fallAsleep();
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
      outer.turns().suspension().park(outer, call);
    } else {
      LockSupport.park(call);
    }
  }

  private static boolean callerIsReset(Execution call) {
    Execution outer = call.outer();
    return outer != null && outer.turns().isReset();
  }
}
