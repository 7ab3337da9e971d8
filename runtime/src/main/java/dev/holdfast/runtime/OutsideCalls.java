package dev.holdfast.runtime;

import dev.holdfast.runtime.internal.turn.Execution;
import dev.holdfast.runtime.internal.turn.ExecutionStack;
import dev.holdfast.runtime.internal.turn.Waits;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Work that leaves the runtime, such as a call of an object of another node. Stateless. */
public final class OutsideCalls {

  private OutsideCalls() {}

  /**
   * Does work outside. In the code of an object, its turn ends first, what it depends on becomes
   * durable, and it goes on in a separate turn afterwards, as {@link
   * dev.holdfast.ObjectContext#call} says. A thread that carries a message of an object, as the
   * code of an asynchronous call does, waits until that may leave.
   *
   * @param <T> the result
   * @param work the work; may block
   * @return its result
   * @throws Exception whatever the work throws
   */
  public static <T extends @Nullable Object> T call(Callable<T> work) throws Exception {
    Execution caller = ExecutionStack.current().top();
    if (caller != null && caller.isCurrentOrReset()) {
      return Waits.call(caller.turn(), work);
    }
    awaitLeaving();
    return work.call();
  }

  /**
   * Calls an object outside, as {@link #call} does work. That object may write: if the object whose
   * code calls is reset, its own caller hears that writes of the call may be durable.
   *
   * @param <T> the result
   * @param work the call; may block
   * @return its result
   * @throws Exception whatever the call throws
   */
  public static <T extends @Nullable Object> T callObject(Callable<T> work) throws Exception {
    Execution caller = ExecutionStack.current().top();
    if (caller != null) {
      caller.recordWrite();
    }
    return call(work);
  }

  /**
   * Waits until what the calling thread carries of an object may leave the runtime. The code of an
   * object that runs outside of its turn has waited already.
   *
   * @throws dev.holdfast.errors.JournalFailedException if it never may
   */
  public static void awaitLeaving() {
    ExecutionStack stack = ExecutionStack.current();
    if (stack.top() == null) {
      stack.awaitLeaving();
    }
  }

  /**
   * {@return whether a runtime has refused the call that the calling thread has made just now, so
   * that no object had it: the runtime is closed, or has failed}
   *
   * @param failure what the call has thrown
   */
  public static boolean isRefused(Throwable failure) {
    return ExecutionStack.current().isRefusal(failure);
  }

  /** {@return whether the calling thread runs the code of an object} */
  public static boolean isInObject() {
    Execution caller = ExecutionStack.current().top();
    return caller != null && caller.isCurrentOrReset();
  }
}
