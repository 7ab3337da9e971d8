package dev.holdfast.runtime.internal.turn;

import dev.holdfast.errors.CallInterruptedException;
import dev.holdfast.runtime.internal.gate.SentCall;
import dev.holdfast.runtime.internal.gate.Waiter;
import dev.holdfast.spi.ObjectKey;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The wait of a call until the asynchronous calls that its caller has made of the same object
 * before are delivered. Stateless.
 */
public final class CallOrdering {

  private CallOrdering() {}

  /**
   * Waits outside of all turns. Ends early when the thread is interrupted, the caller gives up, or
   * the object that makes the call is reset.
   *
   * @param last the call to wait for, with those ahead of it; null for none
   * @param caller the execution on whose thread the call is made; null outside of all objects
   * @param patience when to give up
   * @throws CallInterruptedException if the wait has ended early
   */
  public static void await(@Nullable SentCall last, @Nullable Execution caller, Patience patience) {
    Thread waiting = Thread.currentThread();
    Runnable wake = () -> LockSupport.unpark(waiting);
    SentCall before = SentCall.firstPending(last);
    while (before != null) {
      before.whenOver(wake);
      while (!before.isOver()) {
        if (waiting.isInterrupted()
            || patience.isExhausted()
            || (caller != null && caller.turns().isReset())) {
          before.forget(wake);
          throw withdrawal(before.target());
        }
        LockSupport.park(before);
      }
      before = SentCall.firstPending(before);
    }
  }

  /**
   * Waits between two turns of an object that makes the call.
   *
   * @param last the call to wait for, with those ahead of it
   * @param caller the execution that makes the call; its turn has ended
   * @throws CallInterruptedException if the thread was interrupted
   * @throws dev.holdfast.errors.MisuseException if this wait could never end
   */
  public static void awaitInside(SentCall last, Execution caller) {
    Turns turns = caller.turns();
    caller.setAwaited(new Earlier(last));
    turns.services().deadlocks().refuseWait(caller);
    Runnable wake = caller::wake;
    SentCall before = SentCall.firstPending(last);
    while (before != null && !turns.isReset()) {
      before.whenOver(wake);
      boolean isInterrupted = Waits.parkUntil(caller, before::isOver);
      before.forget(wake);
      if (isInterrupted) {
        Thread.currentThread().interrupt();
        throw withdrawal(last.target());
      }
      before = SentCall.firstPending(before);
    }
    turns.unwindIfReset();
  }

  private static CallInterruptedException withdrawal(ObjectKey called) {
    return new CallInterruptedException(
        called.namespace(), called.id(), "The call was withdrawn before it was delivered.");
  }

  /** Calls that are to be delivered first. */
  private record Earlier(SentCall last) implements Pending {

    @Override
    public @Nullable Execution producer() {
      return null;
    }

    @Override
    public void producers(Consumer<Waiter> action) {
      last.producers(action);
    }
  }
}
