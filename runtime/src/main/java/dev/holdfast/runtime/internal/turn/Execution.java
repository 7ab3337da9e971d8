package dev.holdfast.runtime.internal.turn;

import dev.holdfast.errors.CallInterruptedException;
import dev.holdfast.runtime.internal.gate.Waiter;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.TimeSource;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One event of an object while it runs: a call, a strand, a timer. Takes as many turns as its code
 * makes waits, plus one.
 *
 * <p>Owned by its thread, except for what it waits for, which the deadlock detector reads.
 */
public final class Execution extends Waiter implements Pending {

  private final Turns turns;

  /** Who waits for this one to end: the execution whose code made this call. */
  private final @Nullable Execution outer;

  /** What runs; null for a call, which its own thread runs. */
  private final @Nullable Event event;

  /** How many executions wait for each other from the outermost to this one. */
  private final int depth;

  /** Set before the first turn, never changed during one. */
  private @Nullable Thread thread;

  /** Of a call that has queued and that another thread than its caller's may run. */
  private @Nullable QueuedCall queued;

  private volatile @Nullable Pending awaited;

  /** What lets the clock of a test go on while this waits; from the last such wait. */
  private volatile TimeSource.Pause pause = TimeSource.Pause.NONE;

  /** What the reply depends on; known when the last turn has ended. */
  private long position = Journal.START;

  /** Whether the first turn has begun. */
  boolean begun;

  /** Whether the last turn has ended, or ends. */
  boolean over;

  /** Whether a batch of this execution, or of a call it made, was handed to the journal. */
  private boolean wrote;

  private @Nullable Object result;
  private @Nullable Throwable failure;

  private Execution(
      Turns turns, @Nullable Thread thread, @Nullable Execution outer, @Nullable Event event) {
    this.turns = turns;
    this.thread = thread;
    this.outer = outer;
    this.event = event;
    this.depth = outer == null ? 1 : outer.depth + 1;
  }

  /**
   * Creates the execution of a call, to be run by the calling thread.
   *
   * @param turns of the object that is called
   * @param thread the calling thread
   * @param outer whose code waits for the call; null for a caller outside of all objects
   * @return the execution
   */
  public static Execution ofCall(Turns turns, Thread thread, @Nullable Execution outer) {
    return new Execution(turns, thread, outer, null);
  }

  /**
   * Creates the execution of an event that gets a thread when its first turn comes.
   *
   * @param turns of the object
   * @param event what to run
   * @return the execution
   */
  public static Execution ofEvent(Turns turns, Event event) {
    return new Execution(turns, null, null, event);
  }

  /** {@return the turns of the object this runs in} */
  public Turns turns() {
    return turns;
  }

  /** {@return whose code waits for this call; null if none does} */
  public @Nullable Execution outer() {
    return outer;
  }

  /** {@return how many executions wait for each other up to this one, itself included} */
  public int depth() {
    return depth;
  }

  /** {@return what the reply depends on; known when the execution has ended} */
  public long position() {
    return position;
  }

  /** Notes that there is no further turn, and what the reply depends on. */
  void setOver(long dependency) {
    position = dependency;
    over = true;
  }

  boolean isOver() {
    return over;
  }

  /** Lets another thread run this call while its caller sleeps. */
  void setQueued(QueuedCall call) {
    queued = call;
  }

  /** Says which thread runs this call instead of its caller's. */
  void runOn(Thread runner) {
    thread = runner;
  }

  /** {@return whether this is a call that its caller does not run itself} */
  boolean isDrained() {
    QueuedCall own = queued;
    return own != null && own.isTaken();
  }

  /** {@return whether a batch of this execution was handed to the journal} */
  public boolean wrote() {
    return wrote;
  }

  /** Notes that a batch was handed to the journal. */
  public void noteWrite() {
    wrote = true;
  }

  /**
   * Notes how a call ended.
   *
   * @param value its result, if it ended well
   * @param thrown why it did not, or null
   */
  public void end(@Nullable Object value, @Nullable Throwable thrown) {
    result = value;
    failure = thrown;
  }

  /**
   * Returns the reply of a call that has ended.
   *
   * @return its result
   * @throws Throwable why there is none
   */
  public @Nullable Object reply() throws Throwable {
    if (failure != null) {
      throw failure;
    }
    return result;
  }

  /**
   * {@return whether this is an execution of a thread}
   *
   * @param candidate the thread
   */
  public boolean runsOn(Thread candidate) {
    return candidate.equals(thread);
  }

  /** {@return what the caller of a call gets that left before its code ran} */
  public CallInterruptedException withdrawal() {
    return new CallInterruptedException(
        turns.key().namespace(),
        turns.key().id(),
        "The call was withdrawn before it was delivered.");
  }

  @Override
  public Execution producer() {
    return this;
  }

  @Nullable Pending awaited() {
    return awaited;
  }

  /**
   * Notes what this execution cannot go on without.
   *
   * @param pending what it waits for from now on; null for nothing
   */
  public void setAwaited(@Nullable Pending pending) {
    awaited = pending;
  }

  @Override
  protected void admitted(int behindCount) {
    if (event != null && thread == null) {
      EventQueueing.startThread(this);
    } else if (queued == null || !Drain.offer(queued, behindCount)) {
      wake();
    }
  }

  @Override
  protected void dismissed() {
    if (event != null && thread == null) {
      neverRan();
    } else {
      wake();
    }
  }

  /**
   * Leaves the queue of the gate because its thread cannot wait.
   *
   * @return whether it had been admitted before that
   */
  boolean isAdmittedAfterAll() {
    return !turns.gate().withdraw(this) && !isDismissed();
  }

  void neverRan() {
    if (event != null) {
      event.ended(turns.ending().dismissal());
    }
  }

  /** Says which pause of the clock ends when this is woken. */
  void setPause(TimeSource.Pause begun) {
    if (!TimeSource.Pause.NONE.equals(begun)) {
      pause = begun;
    }
  }

  /** Wakes its thread from a wait; the clock of a test stands from now on. */
  public void wake() {
    pause.close();
    LockSupport.unpark(thread);
  }

  /** {@return where its thread is now; for reports} */
  public StackTraceElement[] stackTrace() {
    Thread running = thread;
    return running == null ? new StackTraceElement[0] : running.getStackTrace();
  }

  void interrupt() {
    Thread interrupted = thread;
    if (interrupted != null) {
      pause.close();
      interrupted.interrupt();
    }
  }

  /** Runs an event on the current, new thread, which has been given the turn. */
  void runEvent() {
    Event running = event;
    if (running == null) {
      throw new IllegalStateException("A call is run by its caller.");
    }
    ExecutionStack stack = ExecutionStack.current();
    thread = stack.thread();
    stack.setTop(this);
    turns.begin(this);
    Throwable failure = null;
    try {
      turns.unwindIfReset();
      running.run();
    } catch (Throwable e) {
      // Object code may throw anything; it is the result of the event.
      failure = e;
    }
    failure = turns.resetIfExhausted(failure);
    boolean ended = false;
    try {
      ended = turns.finish(this);
    } catch (VirtualMachineError e) {
      turns.noteLost(this);
      turns.ending().recoverIfLost();
    }
    stack.setTop(null);
    running.ended(ended ? failure : turns.ending().resetException(this));
  }

  /** Parks until the gate has decided. An interrupt does not end this wait; its flag is kept. */
  void parkUntilDecided() {
    boolean interrupted = false;
    while (isQueued()) {
      LockSupport.park(this);
      // Otherwise the next park would return at once, and this loop would spin.
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
