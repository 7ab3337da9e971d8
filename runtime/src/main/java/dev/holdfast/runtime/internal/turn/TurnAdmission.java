package dev.holdfast.runtime.internal.turn;

import dev.holdfast.HoldfastException;
import dev.holdfast.InstanceResetException;
import dev.holdfast.errors.ObjectOverloadedException;
import dev.holdfast.runtime.internal.gate.InputGate.Entry;
import dev.holdfast.runtime.internal.jfr.RecordedOutcome;
import dev.holdfast.statistics.ResetReason;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The way to a turn: of calls, which a thread waits for, of events, which get a thread when their
 * first turn comes, and of executions that have waited. Stateless.
 */
public final class TurnAdmission {

  /**
   * How often to look again before queueing, while no other waits: about a microsecond. To park and
   * be woken costs five; most turns are over sooner. A thread that is not in the queue yet
   * overtakes no waiter.
   */
  private static final int SPINS = Runtime.getRuntime().availableProcessors() > 1 ? 64 : 0;

  private TurnAdmission() {}

  // ---- Calls ------------------------------------------------------------------------------

  /** What became of a call. */
  private enum Outcome {
    /** It is the call's turn, and the current thread has to run it. */
    ADMITTED,
    /** It was run by another thread and has its reply. */
    HAS_RUN,
    /** The instance is gone and another must be looked up. */
    GONE
  }

  /**
   * Brings a call into its first turn, and runs it. A call in the queue leaves it without a trace
   * when its thread is interrupted, its caller gives up, or the object that makes it is reset;
   * unless it is admitted at that very moment: then it runs.
   *
   * @param call the call, made by the current thread
   * @param stack the stack of the current thread
   * @param waitingMax how many may wait before it is refused
   * @param cancellation when to give up
   * @param code what the call runs, on whatever thread
   * @return false if the instance is gone and another must be looked up
   * @throws ObjectOverloadedException if too many wait
   * @throws InstanceResetException if the instance was reset while the call waited
   */
  public static boolean deliver(
      Execution call,
      ExecutionStack stack,
      int waitingMax,
      Cancellation cancellation,
      Execution.Code code) {
    Turn turn = call.turn();
    Outcome outcome = Outcome.GONE;
    try {
      outcome =
          tryEnter(turn) ? Outcome.ADMITTED : queue(call, stack, waitingMax, cancellation, code);
      if (outcome == Outcome.ADMITTED && stack.sent != null) {
        stack.recordDelivered(turn.key());
      }
    } catch (HoldfastException e) {
      throw e;
    } catch (RuntimeException | Error e) {
      if (!abandon(call, outcome == Outcome.ADMITTED, e)) {
        throw e;
      }
      return true;
    }
    if (outcome == Outcome.ADMITTED) {
      turn.run(call, stack, code);
    }
    return outcome != Outcome.GONE;
  }

  /** Ends a call on whose way in the engine has failed; false if a queue worker runs it. */
  private static boolean abandon(Execution call, boolean isHolder, Throwable failure) {
    Turn turn = call.turn();
    QueuedCall queued = call.queued();
    if (queued != null && !isHolder && !queued.claimOrLeave()) {
      // To find no stack to park on is an error of the code that has called so deep.
      if (!(failure instanceof StackOverflowError)) {
        turn.parts().engineFailed(failure);
      }
      return false;
    }
    if (isHolder || (!turn.gate().withdraw(call) && call.isAdmitted())) {
      turn.abandonAdmitted(call, failure);
    } else {
      turn.abandon(call, failure);
    }
    return true;
  }

  private static boolean tryEnter(Turn turn) {
    // A reset is recorded before the gate is shut. A caller that knows of it must not get in
    // between: it was not in flight, and would get the same reset again.
    return !turn.isReset() && turn.gate().tryEnter();
  }

  private static boolean tryEnterSoon(Turn turn) {
    for (int i = 0; i < SPINS && !turn.gate().isContended(); i++) {
      Thread.onSpinWait();
      if (tryEnter(turn)) {
        return true;
      }
    }
    return false;
  }

  private static Outcome queue(
      Execution call,
      ExecutionStack stack,
      int waitingMax,
      Cancellation cancellation,
      Execution.Code code) {
    Turn turn = call.turn();
    if (tryEnterSoon(turn)) {
      return Outcome.ADMITTED;
    }
    long nowNanos = call.queueing();
    if (turn.isReset()) {
      return Outcome.GONE;
    }
    QueuedCall queued = null;
    if (cancellation.equals(Cancellation.NEVER) && !stack.keepsCalls()) {
      // A caller that may give up has a separate thread already, and interrupts it.
      queued = new QueuedCall(call, code);
      call.setQueued(queued);
    }
    int max = cancellation.equals(Cancellation.OPERATOR) ? Integer.MAX_VALUE : waitingMax;
    Entry entry = turn.gate().enter(call, max);
    switch (entry) {
      case ADMITTED -> {
        return Outcome.ADMITTED;
      }
      case SHUT -> {
        return Outcome.GONE;
      }
      case FULL -> {
        call.takeCount(RecordedOutcome.OVERLOADED);
        int waitingCount = turn.gate().waitingCount();
        turn.recorder().callOverloaded(turn.key(), turn.counts(), waitingCount);
        throw new ObjectOverloadedException(turn.key().namespace(), turn.key().id(), waitingCount);
      }
      case QUEUED, QUEUED_BEHIND_SECTION -> {
        stack.recordDelivered(turn.key());
        turn.recorder().queue(turn.key(), turn.counts(), turn.gate().waitingCount(), nowNanos);
        if (entry == Entry.QUEUED_BEHIND_SECTION) {
          turn.parts().deadlocks().refuseCall(call);
        }
        if (!await(call, queued, cancellation)) {
          return Outcome.HAS_RUN;
        }
      }
    }
    if (call.isDismissed()) {
      if (call.takeCount(RecordedOutcome.RESET)) {
        turn.recorder().callReset();
      }
      call.setOver(turn.end().position());
      throw turn.end().exceptionFor(call, null);
    }
    return queued == null || queued.isForCaller() ? Outcome.ADMITTED : Outcome.HAS_RUN;
  }

  /**
   * Parks the current thread until the gate has decided about the call; false if there was no stack
   * to park on: then that is the call's reply.
   */
  private static boolean await(
      Execution call, @Nullable QueuedCall queued, Cancellation cancellation) {
    QueueWait wait = new QueueWait(call, queued, cancellation);
    if (Waits.park(wait)) {
      Thread.currentThread().interrupt();
    }
    StackOverflowError overflow = wait.overflow;
    if (overflow != null) {
      call.end(null, overflow);
      return false;
    }
    if (wait.withdrawn) {
      throw call.withdrawal();
    }
    return true;
  }

  /** The wait of a call in the queue. Confined to the thread that makes the call. */
  private static final class QueueWait implements Waits.Wait {

    private final Execution call;
    private final @Nullable QueuedCall queued;
    private final Cancellation cancellation;
    private boolean withdrawn;
    private @Nullable StackOverflowError overflow;

    QueueWait(Execution call, @Nullable QueuedCall queued, Cancellation cancellation) {
      this.call = call;
      this.queued = queued;
      this.cancellation = cancellation;
    }

    @Override
    public boolean isOver() {
      return withdrawn || !call.isQueued();
    }

    @Override
    public boolean stops(boolean interrupted) {
      withdrawn =
          (interrupted || cancellation.isRequested() || isCallerReset())
              && call.turn().gate().withdraw(call);
      return withdrawn;
    }

    private boolean isCallerReset() {
      Execution outer = call.outer();
      return outer != null && outer.turn().isReset();
    }

    @Override
    public void overflowed(StackOverflowError error) {
      if (call.turn().gate().withdraw(call)) {
        withdrawn = true;
        overflow = error;
      }
    }

    @Override
    public void sleep() {
      if (queued != null) {
        queued.fallAsleep();
      }
      Execution outer = call.outer();
      if (outer != null && outer.runsOn(Thread.currentThread())) {
        // A reset of the calling object looks for its executions there.
        Waits.parkKnown(outer, call);
      } else {
        LockSupport.park(call);
      }
    }
  }

  // ---- Executions that have waited ----------------------------------------------------------

  /**
   * Brings an execution that has waited into its next turn; false if the instance was reset.
   *
   * @param execution the execution
   * @param sync the wait that holds up the next one until this execution is in the queue, or null
   */
  static boolean admitAgain(Execution execution, Waits.@Nullable SyncWait sync) {
    Turn turn = execution.turn();
    if (turn.gate().tryEnter()) {
      return true;
    }
    execution.queueing();
    Entry entry = turn.gate().enter(execution, Integer.MAX_VALUE);
    if (sync != null) {
      sync.setQueued();
    }
    if (entry == Entry.QUEUED_BEHIND_SECTION) {
      turn.parts().deadlocks().resetIfStuck(execution);
    }
    if (Waits.park(new AgainWait(execution))) {
      Thread.currentThread().interrupt();
    }
    return entry != Entry.SHUT && !execution.isDismissed();
  }

  /** The wait of an execution for its next turn; a reset dismisses it, and so ends it. */
  private record AgainWait(Execution execution) implements Waits.Wait {

    @Override
    public boolean isOver() {
      return !execution.isQueued();
    }

    @Override
    public void overflowed(StackOverflowError error) {
      execution.turn().resetIfExhausted(error);
    }
  }

  // ---- Events -------------------------------------------------------------------------------

  /**
   * Queues an event.
   *
   * @param event made by {@link Execution#ofEvent}; in no queue
   */
  public static void enqueue(Execution event) {
    // Events that the object starts itself are not refused: what they bring about was promised.
    event.queueing();
    switch (event.turn().gate().enter(event, Integer.MAX_VALUE)) {
      case ADMITTED -> startThread(event);
      case SHUT -> event.dismissed();
      case QUEUED, QUEUED_BEHIND_SECTION, FULL -> {}
    }
  }

  /** Gives an admitted event its thread. */
  static void startThread(Execution event) {
    Turn turn = event.turn();
    try {
      turn.parts().start(event::runEvent);
    } catch (RuntimeException | Error e) {
      if (!event.claim()) {
        return; // it runs: a thread may start although its start has failed
      }
      // The event holds the turn but will never run: without this the object would be stuck.
      turn.reset(
          ResetReason.RUNTIME_FAILED,
          "The object was reset because the thread of an event could not be started.",
          e);
      turn.run(event, ExecutionStack.current(), _ -> null);
      event.neverRan();
    }
  }
}
