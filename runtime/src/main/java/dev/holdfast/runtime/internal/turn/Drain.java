package dev.holdfast.runtime.internal.turn;

import org.jspecify.annotations.Nullable;

/**
 * Works off the queue of a busy object on a virtual thread: runs the calls of callers that sleep,
 * one after the other, and wakes each when its reply is there.
 *
 * <p>To hand the object from one sleeping caller to the next costs a wake-up and a change of
 * threads for each turn, and callers that come again at once keep the queue as long as it is. A
 * thread that is awake runs a short turn in a tenth of that time; so the queue gets shorter, and at
 * its end callers find the gate open again and run their calls themselves.
 *
 * <p>The order stays that of the gate, which hands the object to the drain as the proxy of the next
 * in line, or to whoever else is next: a strand, a timer, a caller that is awake. Then this drain
 * ends and another one is started when it is worth it. A call that begins a wait keeps the thread,
 * with its stack: those behind it go to others meanwhile. So no caller ever waits for the wait of a
 * stranger's call.
 *
 * <p>Owned by its thread.
 */
final class Drain implements Runnable {

  /** Of an object that others can do without: at least so many still wait behind the next call. */
  static final int BEHIND_MIN = 1;

  /** Virtual threads are not preempted: other objects want the processor, too. */
  private static final int CALLS_BEFORE_YIELD = 64;

  private QueuedCall running;
  private @Nullable QueuedCall next;

  private Drain(QueuedCall first) {
    this.running = first;
  }

  /**
   * Gives an admitted call to a drain, if that is worth it. Called by the thread that gave up the
   * turn.
   *
   * @param call a call whose turn it is
   * @param behindCount how many wait behind it
   * @return whether a drain runs it; if not, its caller has to
   */
  static boolean offer(QueuedCall call, int behindCount) {
    Drain current = ExecutionStack.current().drain();
    if (current != null && !current.isFreeFor(call)) {
      current = null;
    }
    boolean isWorthIt = current != null || behindCount >= BEHIND_MIN;
    if (!isWorthIt || !call.call().turns().suspension().mayDrain() || !call.take()) {
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
      call.call().turns().services().start(new Drain(call));
    } catch (RuntimeException | Error e) {
      // No thread, no drain: the caller has one.
      call.giveBack();
    }
  }

  /** Whether the call that it runs has ended, and was one of the same instance. */
  private boolean isFreeFor(QueuedCall call) {
    Execution ending = running.call();
    return ending.isOver() && ending.turns() == call.call().turns();
  }

  @Override
  @SuppressWarnings("ThreadPriorityCheck") // for the yield, see there
  public void run() {
    ExecutionStack stack = ExecutionStack.current();
    stack.setDrain(this);
    for (int count = 1; ; count++) {
      try {
        running.run(stack);
      } finally {
        stack.setTop(null);
      }
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
