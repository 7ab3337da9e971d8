package dev.holdfast.runtime.internal.turn;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * A call in the queue of its object, and who is to run it: the thread that makes it, or a {@link
 * Drain} that works off the queue while that thread sleeps.
 *
 * <p><b>Who runs it.</b> A drain takes only what sleeps, and one compare-and-set decides:
 *
 * <pre>{@code
 *         the caller parks             a drain takes it           it has run
 * AWAKE -------------------> ASLEEP ---------------------> TAKEN ------------> OVER
 *   ^ <------------------------+                             |
 *   |   admitted, and awake all the same                     |
 *   +--------------------------------------------------------+
 *                    no thread for the drain
 * }</pre>
 *
 * <p><b>Interrupts.</b> An interrupt of the caller while its call runs elsewhere goes to the thread
 * that runs it, and to that thread only while it does. What is left of it at the end comes back.
 *
 * <p>Shared by the caller, the drain and whoever gives up the turn.
 */
public final class QueuedCall {

  /** The code of a call: its last turn has ended, and its reply is noted, when it returns. */
  @FunctionalInterface
  public interface Code {

    /**
     * Runs a call that was admitted, on the current thread.
     *
     * @param call the call
     * @param stack that of the current thread
     */
    void run(Execution call, ExecutionStack stack);
  }

  private static final int AWAKE = 0;
  private static final int ASLEEP = 1;
  private static final int TAKEN = 2;
  private static final int OVER = 3;

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
  private final Code code;

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
  QueuedCall(Execution call, Code code) {
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
    if (state == AWAKE || STATE.compareAndSet(this, ASLEEP, AWAKE)) {
      return true;
    }
    while (state == TAKEN) {
      if (Thread.interrupted()) {
        interruptRunner();
      } else {
        LockSupport.park(this);
      }
    }
    synchronized (this) {
      if (interrupted) {
        caller.interrupt();
      }
    }
    return state == AWAKE;
  }

  private synchronized void interruptRunner() {
    interrupted = true;
    if (running) {
      call.interrupt();
    }
  }

  // ---- The side of the drain --------------------------------------------------------------

  /** {@return whether the caller sleeps, and from now on leaves the call to a drain} */
  boolean take() {
    return STATE.compareAndSet(this, ASLEEP, TAKEN);
  }

  boolean isTaken() {
    return state == TAKEN;
  }

  /** Has the caller run the call after all. */
  void giveBack() {
    state = AWAKE;
    LockSupport.unpark(caller);
  }

  /** Runs the call and wakes its caller. */
  void run(ExecutionStack stack) {
    synchronized (this) {
      call.runOn(stack.thread());
      running = true;
      if (interrupted) {
        call.interrupt();
      }
    }
    try {
      code.run(call, stack);
    } catch (Throwable e) {
      // Whatever it is, somebody waits for it, who must not take the call for one that is done.
      call.turns().noteLost(call);
      call.end(null, e);
    } finally {
      synchronized (this) {
        running = false;
        // Cleared, so that the next call of the drain does not get it.
        interrupted = Thread.interrupted();
      }
      state = OVER;
      LockSupport.unpark(caller);
    }
  }
}
