package dev.holdfast.runtime.internal.turn;

import org.jspecify.annotations.Nullable;

/**
 * Works off the queue of a busy object on a virtual thread: runs the calls of callers that sleep,
 * one after the other, and wakes each when its reply is there.
 *
 * <p>To hand the object from one sleeping caller to the next costs a wake-up and a change of
 * thread; a thread that is awake runs a short turn in a tenth of that time. So the queue gets
 * shorter, and at its end callers find the gate open again and run their calls themselves.
 *
 * <p>The gate keeps the order: it hands the object to the worker as the proxy of the next in line,
 * or to another that is next: a task, a timer, a caller that is awake. Then this worker ends and
 * another one is started when it is worth it. A call that begins a wait keeps the thread, with its
 * stack: those after it go to others meanwhile. So no caller ever waits for the wait of another
 * caller's call.
 *
 * <p>Confined to its thread.
 */
final class QueueWorker implements Runnable {

  /** How many calls of an object that waits are left to their callers before a worker takes one. */
  static final int CALLERS_FIRST_AFTER_WAIT = 64;

  /** How many still wait after the next call, at the least, before a worker is started. */
  private static final int WAITING_MIN = 1;

  /** Virtual threads are not preempted: other objects want the processor, too. */
  private static final int CALLS_BEFORE_YIELD = 64;

  private QueuedCall running;
  private @Nullable QueuedCall next;

  private QueueWorker(QueuedCall first) {
    this.running = first;
  }

  /**
   * Gives an admitted call to a worker, if that is worth it. Called by the thread that gave up the
   * turn.
   *
   * @param call a call whose turn it is
   * @param waitingCount how many wait after it
   * @return whether a worker runs it; if not, its caller has to
   */
  static boolean offer(QueuedCall call, int waitingCount) {
    QueueWorker current = ExecutionStack.current().worker();
    if (current != null && !current.isFreeFor(call)) {
      current = null;
    }
    boolean isWorthIt = current != null || waitingCount >= WAITING_MIN;
    if (!isWorthIt || !call.call().turn().mayUseWorker() || !call.take()) {
      return false;
    }
    if (current != null) {
      current.next = call;
    } else {
      start(call);
    }
    return true;
  }

  private static void start(QueuedCall call) {
    try {
      call.call().turn().parts().start(new QueueWorker(call));
    } catch (RuntimeException | Error e) {
      // No thread, no worker: the caller has one.
      call.giveBack(e);
    }
  }

  /** Whether the call that it runs has ended, and was one of the same instance. */
  private boolean isFreeFor(QueuedCall call) {
    Execution ending = running.call();
    return ending.isOver() && ending.turn() == call.call().turn();
  }

  @Override
  public void run() {
    ExecutionStack stack = ExecutionStack.current();
    stack.setWorker(this);
    try {
      runAll(stack);
    } catch (RuntimeException | Error e) {
      running.call().turn().parts().engineFailed(e);
      QueuedCall admitted = next;
      if (admitted != null) {
        admitted.giveBack(e);
      }
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // for the yield, see there
  private void runAll(ExecutionStack stack) {
    for (int count = 1; ; count++) {
      running.run(stack);
      QueuedCall following = next;
      if (following == null) {
        return;
      }
      next = null;
      running = following;
      if (count % CALLS_BEFORE_YIELD == 0) {
        Thread.yield();
      }
    }
  }
}
