package dev.holdfast.runtime.internal.turn;

import dev.holdfast.errors.CallInterruptedException;
import dev.holdfast.filter.Headers;
import dev.holdfast.runtime.internal.gate.Waiter;
import dev.holdfast.runtime.internal.jfr.CallEvent;
import dev.holdfast.runtime.internal.jfr.FlightRecording;
import dev.holdfast.runtime.internal.jfr.RecordedOutcome;
import dev.holdfast.spi.Journal;
import dev.holdfast.statistics.ExecutionStatus;
import dev.holdfast.statistics.ExecutionStatus.Activity;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One event of an object while it runs: a call, a task, a timer. Takes one turn more than its code
 * makes waits.
 *
 * <p>Confined to its thread, except for what it waits for, which the deadlock detector reads.
 */
public final class Execution extends Waiter implements Pending, TurnState.Held {

  private final Turn turn;

  /** The execution whose code made this call and waits for it to end. */
  private final @Nullable Execution outer;

  /** What runs; null for a call, which its own thread runs. */
  private final @Nullable BackgroundEvent event;

  /** How many executions wait for each other from the outermost to this one. */
  private final int depth;

  /** Set before the first turn, never changed during one. */
  private @Nullable Thread thread;

  /** What it runs, for reports; null before that is known. Other threads may read it late. */
  private @Nullable Operation operation;

  /** Of a call that has queued and that another thread than its caller's may run. */
  private @Nullable QueuedCall queued;

  private volatile @Nullable Pending awaited;

  /** Those in other processes that wait for this call; null for none. */
  private ExecutionStack.@Nullable MadeFor madeFor;

  /** What the reply depends on; known when the last turn has ended. */
  private long position = Journal.START;

  /** Whether the last turn has ended, or ends. */
  private boolean over;

  /** Whether it counts as a call, and has not been counted. */
  private boolean counts;

  /** Whether it waits outside of its turn until something is durable. */
  private volatile boolean forDisk;

  /** Null if no time is taken, and no event is on. */
  private @Nullable Timing timing;

  /** Whether a batch of this execution, or of a call it made, may have reached a journal. */
  private boolean wrote;

  private @Nullable Object result;
  private @Nullable Throwable failure;

  /** Whether an action after a durable turn may wait for this: then this waits for no action. */
  private boolean ofAction;

  /** Whether its last turn has added actions. */
  private boolean addedActions;

  /** For the calls that the code makes; null for none. */
  private @Nullable Headers headers;

  /** Whether an event has a thread that runs it, or ends without one. Guarded by this. */
  private boolean claimed;

  /** What an execution runs, as reports name it. Thread-safe. */
  public interface Operation {

    /** {@return what it is} */
    ExecutionStatus.Kind kind();

    /** {@return the method that is called; empty where there is none} */
    default String operationName() {
      return "";
    }
  }

  /** The object code of an execution. */
  @FunctionalInterface
  public interface Code {

    /**
     * Runs it, in a turn.
     *
     * @param execution the execution
     * @return its result
     * @throws Throwable whatever the code throws
     */
    @Nullable Object run(Execution execution) throws Throwable;
  }

  private Execution(
      Turn turn,
      @Nullable Thread thread,
      @Nullable Execution outer,
      @Nullable BackgroundEvent event) {
    this.turn = turn;
    this.thread = thread;
    this.outer = outer;
    this.event = event;
    this.operation = event;
    this.depth = outer == null ? 1 : outer.depth + 1;
  }

  /**
   * Creates the execution of a call, to be run by the calling thread.
   *
   * @param turn of the object that is called
   * @param thread the calling thread
   * @param outer whose code waits for the call; null for a caller outside of all objects
   * @return the execution
   */
  public static Execution ofCall(Turn turn, Thread thread, @Nullable Execution outer) {
    return new Execution(turn, thread, outer, null);
  }

  /**
   * Creates the execution of an event that gets a thread when its first turn comes.
   *
   * @param turn of the object
   * @param event what to run
   * @return the execution
   */
  public static Execution ofEvent(Turn turn, BackgroundEvent event) {
    Execution created = new Execution(turn, null, null, event);
    created.time(1);
    return created;
  }

  // ---- What reports know of it --------------------------------------------------------------

  /**
   * Sets what a call runs.
   *
   * @param called it
   */
  public void setOperation(Operation called) {
    operation = called;
  }

  /** {@return what it runs; null if that is not known yet; racy} */
  public @Nullable Operation operation() {
    return operation;
  }

  /** {@return what it waits for; null for nothing that the engine knows of; racy} */
  public @Nullable Pending waitsFor() {
    return awaited;
  }

  void setForDisk(boolean waits) {
    forDisk = waits;
  }

  boolean isForDisk() {
    return forDisk;
  }

  /** {@return what it does or waits for, as another thread sees it} */
  public Activity activity() {
    Thread running = thread;
    if (turn.holder() == this) {
      return turn.isReset() ? Activity.RUNS_AFTER_RESET : Activity.RUNS;
    }
    if (isQueued()) {
      return Activity.WAITS_FOR_TURN;
    }
    if (forDisk) {
      return Activity.WAITS_FOR_DISK;
    }
    return running != null && Waits.isParked(running)
        ? Activity.WAITS_FOR_STAGE
        : Activity.WORKS_OUTSIDE;
  }

  // ---- What statistics know of it ---------------------------------------------------------

  /** Has it counted as a call when it ends. */
  public void count() {
    counts = true;
    CallEvent begun = FlightRecording.isPossible() ? CallEvent.begun() : null;
    if (begun != null) {
      keep(begun);
    }
  }

  private void keep(CallEvent event) {
    Timing own = timingOrNew();
    if (own != null) {
      own.setCall(event);
    }
  }

  /** Returns what is kept of its times; null if there is no memory: then they are left out. */
  private @Nullable Timing timingOrNew() {
    if (timing == null) {
      try {
        timing = new Timing();
      } catch (OutOfMemoryError e) {
        return null;
      }
    }
    return timing;
  }

  /**
   * Records how it has ended, if it is a call. Only the first end counts.
   *
   * @param how how it has ended
   * @return whether it is to be counted now
   */
  public boolean takeCount(RecordedOutcome how) {
    boolean due = counts;
    counts = false;
    Timing own = timing;
    if (due && own != null) {
      own.setOutcome(how);
    }
    return due;
  }

  /**
   * {@return the event of this call, to be ended by the thread that makes it; null if there is
   * none}
   */
  public @Nullable CallEvent callEvent() {
    Timing own = timing;
    return own == null ? null : own.call();
  }

  /**
   * Has the times of its turns taken.
   *
   * @param weight how many executions it was chosen from; 1 for all of its kind
   */
  public void time(int weight) {
    Timing own = timingOrNew();
    if (own != null) {
      own.weight = weight;
    }
  }

  @Nullable Timing timing() {
    return timing;
  }

  /** {@return the weight of its reply at the output gate if it need not wait there} */
  public int outputWeight() {
    Timing own = timing;
    return wrote ? 1 : own == null ? 0 : own.weight;
  }

  /**
   * Records that it begins to queue for its turn.
   *
   * @return when that is
   */
  long queueing() {
    long nowNanos = turn.recorder().nanos();
    Timing own = timingOrNew();
    if (own != null) {
      own.queueing(nowNanos);
    }
    return nowNanos;
  }

  // ---- Its place ----------------------------------------------------------------------------

  /** {@return the turn of the object this runs in} */
  public Turn turn() {
    return turn;
  }

  /** {@return whose code waits for this call; null if none does} */
  public @Nullable Execution outer() {
    return outer;
  }

  /** {@return those in other processes that wait for this call; null for none} */
  public ExecutionStack.@Nullable MadeFor madeFor() {
    return madeFor;
  }

  /** Sets those in other processes that wait for this call, before it queues. */
  void setMadeFor(ExecutionStack.MadeFor others) {
    madeFor = others;
  }

  /** {@return how many executions wait for each other up to this one, itself included} */
  public int depth() {
    return depth;
  }

  /** {@return what the reply depends on; known when the execution has ended} */
  public long position() {
    return position;
  }

  /** Records that there is no further turn, and what the reply depends on. */
  void setOver(long dependency) {
    position = dependency;
    over = true;
  }

  /** {@return whether it has run, so that its reply may say what it has read} */
  public boolean isOver() {
    return over;
  }

  /** Lets another thread run this call while its caller sleeps. */
  void setQueued(QueuedCall call) {
    queued = call;
  }

  /** Sets which thread runs this call instead of its caller's. */
  void runOn(Thread runner) {
    thread = runner;
  }

  /** {@return this call in the queue; null if only its caller may run it} */
  @Nullable QueuedCall queued() {
    return queued;
  }

  /** {@return whether a queue worker runs this call} */
  boolean isOnWorker() {
    QueuedCall own = queued;
    return own != null && own.isRunning();
  }

  /** {@return whether a batch of this execution, or of a call it made, may be durable} */
  public boolean wrote() {
    return wrote;
  }

  /** Records that a batch was handed to the journal, or may have been by a call. */
  public void recordWrite() {
    wrote = true;
  }

  /**
   * Records how a call ended.
   *
   * @param value its result, if it ended well
   * @param thrown why it did not, or null
   */
  public void end(@Nullable Object value, @Nullable Throwable thrown) {
    result = value;
    failure = thrown;
  }

  /**
   * Returns the reply of a call that has ended, to its caller.
   *
   * @return its result
   * @throws Throwable why there is none; with the stack of the caller if another thread ran the
   *     call
   */
  public @Nullable Object reply() throws Throwable {
    if (failure != null) {
      throw withCaller(failure, thread);
    }
    return result;
  }

  /**
   * {@return a failure, with the stack of the current thread if another one ran the call}
   *
   * @param failure why the call has no result
   * @param runner the thread that ran it; null if it did not run
   */
  public static Throwable withCaller(Throwable failure, @Nullable Thread runner) {
    if (!Thread.currentThread().equals(runner)) {
      CalledFrom.attachTo(failure);
    }
    return failure;
  }

  /** {@return the headers of the calls that the code makes now} */
  public Headers headers() {
    return headers == null ? Headers.NONE : headers;
  }

  /**
   * Sets the headers of the calls that the code makes from now on.
   *
   * @param changed the headers
   */
  public void setHeaders(Headers changed) {
    headers = changed;
  }

  /**
   * Gives a new event what it inherits: its place among the critical sections, the headers, and
   * whether an action may wait for it.
   *
   * @param starter whose code starts the event
   */
  public void inherit(Execution starter) {
    moveTo(starter.place());
    headers = starter.headers;
    ofAction = starter.ofAction;
  }

  /** Records that an action after a durable turn may wait for this. */
  public void setOfAction() {
    ofAction = true;
  }

  /** {@return whether an action after a durable turn may wait for this} */
  boolean isOfAction() {
    return ofAction;
  }

  /** Records that the turn has added actions, so that its end may have to wait. */
  void recordActions() {
    addedActions = true;
  }

  /**
   * Waits, outside of the turn that has ended, while too many actions of the object wait. Not in a
   * call that an action makes: it would wait for itself.
   */
  public void awaitRoomForActions() {
    if (addedActions) {
      addedActions = false;
      if (!ofAction) {
        turn.parts().outbox().awaitRoom(turn.key());
      }
    }
  }

  /**
   * {@return whether this is an execution of a thread}
   *
   * @param candidate the thread
   */
  public boolean runsOn(Thread candidate) {
    return candidate.equals(thread);
  }

  /** {@return whether this runs in a turn of its object, or was reset; asked by its own thread} */
  public boolean isCurrentOrReset() {
    return turn.isHeldBy(this) || turn.isReset();
  }

  /** Takes an event that has not begun back out of the queue. */
  public void withdraw() {
    turn.gate().withdraw(this);
  }

  /** {@return what the caller of a call gets that left before its code ran} */
  public CallInterruptedException withdrawal() {
    return new CallInterruptedException(
        turn.key().namespace(), turn.key().id(), "The call was withdrawn before it was delivered.");
  }

  @Override
  public Execution producer() {
    return this;
  }

  @Nullable Pending awaited() {
    return awaited;
  }

  /**
   * Records what this execution waits for.
   *
   * @param pending it; null for nothing
   */
  public void setAwaited(@Nullable Pending pending) {
    awaited = pending;
  }

  @Override
  protected void admitted(int waitingCount) {
    if (event != null && thread == null) {
      TurnAdmission.startThread(this);
      return;
    }
    boolean isTaken = false;
    try {
      isTaken = queued != null && QueueWorker.offer(queued, waitingCount);
    } finally {
      // Also if memory runs out here: no other thread knows that this has the turn.
      if (!isTaken) {
        wake();
      }
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

  void neverRan() {
    if (event != null) {
      event.ended(turn.end().dismissal());
    }
  }

  /** Wakes its thread from a wait. */
  public void wake() {
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
      interrupted.interrupt();
    }
  }

  /** {@return whether the current thread is the first to claim this event; it runs or ends it} */
  synchronized boolean claim() {
    boolean isFirst = !claimed;
    claimed = true;
    return isFirst;
  }

  /**
   * Runs an event on the current, new thread, which has been given the turn; does nothing if the
   * event has ended because no thread could be started.
   */
  void runEvent() {
    BackgroundEvent running = event;
    if (running == null) {
      throw new IllegalStateException("A call is run by its caller.");
    }
    if (!claim()) {
      return;
    }
    ExecutionStack stack = ExecutionStack.current();
    thread = stack.thread();
    turn.run(
        this,
        stack,
        _ -> {
          running.run();
          return null;
        });
    awaitRoomForActions();
    running.ended(failure);
  }
}
