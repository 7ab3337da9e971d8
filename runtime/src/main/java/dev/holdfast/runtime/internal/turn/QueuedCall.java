package dev.holdfast.runtime.internal.turn;

import dev.holdfast.statistics.ResetReason;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * A call in the queue of its object, and which thread runs it: the one that makes it, or a {@link
 * QueueWorker} while that thread sleeps.
 *
 * <p><b>Which thread runs it.</b> A worker takes only a call whose caller sleeps. Every step is one
 * compare-and-set, so exactly one thread runs the call:
 *
 * <pre>{@code
 *         the caller parks           a worker takes it     begins        it has run
 * AWAKE -------------------> ASLEEP ------------------> TAKEN ---> RUNNING -------> OVER
 *   ^ <------------------------+                        |   |         ^               ^
 *   |   admitted, and awake all the same                |   v         |               |
 *   +---------------------------------------------------+  LEFT ------+---------------+
 *                   no thread for the worker                  no thread for the worker
 * }</pre>
 *
 * <p><b>LEFT.</b> A caller that cannot park any more, for lack of stack or memory, leaves with that
 * error. Its call continues without it, or ends with the object if no worker could be started.
 *
 * <p><b>Interrupts.</b> An interrupt of the caller while its call runs elsewhere goes to the thread
 * that runs it, and to that thread only while it does. What is left of it at the end comes back.
 *
 * <p>Shared by the caller, the worker and the thread that gives up the turn.
 */
final class QueuedCall implements Waits.Wait {

  private static final int AWAKE = 0;
  private static final int ASLEEP = 1;
  private static final int TAKEN = 2;
  private static final int RUNNING = 3;
  private static final int OVER = 4;
  private static final int LEFT = 5;

  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(QueuedCall.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Execution call;
  private final Thread caller;
  private final Execution.Code code;

  private volatile int state = AWAKE;

  // Guarded by this.
  private boolean running;
  private boolean interrupted;

  /**
   * Creates it for the current thread.
   *
   * @param call in no queue yet
   * @param code what it runs
   */
  QueuedCall(Execution call, Execution.Code code) {
    this.call = call;
    this.caller = Thread.currentThread();
    this.code = code;
  }

  Execution call() {
    return call;
  }

  // ---- The caller's side ------------------------------------------------------------------

  /** Says that the caller is going to park. */
  void fallAsleep() {
    STATE.compareAndSet(this, AWAKE, ASLEEP);
  }

  /**
   * Asks, once the call is admitted, whether its caller has to run it.
   *
   * @return false if it was run meanwhile; the caller has waited for that
   */
  boolean isForCaller() {
    if (claim()) {
      return true;
    }
    try {
      Waits.park(this);
    } catch (RuntimeException | Error e) {
      if (leave()) {
        throw e;
      }
    }
    synchronized (this) {
      if (interrupted) {
        caller.interrupt();
      }
    }
    return state == AWAKE;
  }

  /** {@return whether no worker can take the call any more, and none has} */
  boolean claim() {
    return state == AWAKE || STATE.compareAndSet(this, ASLEEP, AWAKE);
  }

  /** {@return whether a worker runs the call, or will; its caller does not wait for that} */
  boolean leave() {
    return STATE.compareAndSet(this, TAKEN, LEFT) || state == RUNNING;
  }

  /**
   * As {@link #claim}, for a caller that cannot wait: leaves the call to the worker that has it.
   */
  boolean claimOrLeave() {
    // The worker may give the call back in between: then the caller has it after all.
    return claim() || (!leave() && claim());
  }

  @Override
  public boolean isOver() {
    return state == AWAKE || state == OVER;
  }

  @Override
  public synchronized void interrupted() {
    interrupted = true;
    if (running) {
      call.interrupt();
    }
  }

  // ---- The worker's side ------------------------------------------------------------------

  /** {@return whether the caller sleeps, and from now on leaves the call to a worker} */
  boolean take() {
    return STATE.compareAndSet(this, ASLEEP, TAKEN);
  }

  /** {@return whether a worker runs the call} */
  boolean isRunning() {
    return state == RUNNING;
  }

  /**
   * Has the caller run the call after all.
   *
   * @param cause why no worker can
   */
  void giveBack(Throwable cause) {
    if (STATE.compareAndSet(this, TAKEN, AWAKE)) {
      LockSupport.unpark(caller);
    } else if (STATE.compareAndSet(this, LEFT, OVER)) {
      // The call holds the turn, and no thread is left to run it.
      call.turn()
          .reset(
              ResetReason.RUNTIME_FAILED,
              "The object was reset because a call has lost its thread.",
              cause);
      call.turn().run(call, ExecutionStack.current(), _ -> null);
    }
  }

  /** Runs the call and wakes its caller; does nothing if the call was given back. */
  void run(ExecutionStack stack) {
    if (!STATE.compareAndSet(this, TAKEN, RUNNING) && !STATE.compareAndSet(this, LEFT, RUNNING)) {
      return;
    }
    try {
      synchronized (this) {
        call.runOn(stack.thread());
        running = true;
        if (interrupted) {
          call.interrupt();
        }
      }
      call.turn().run(call, stack, code);
    } finally {
      synchronized (this) {
        running = false;
        // Cleared, so that the next call of the worker does not get it.
        interrupted = Thread.interrupted();
      }
      state = OVER;
      LockSupport.unpark(caller);
    }
  }
}
