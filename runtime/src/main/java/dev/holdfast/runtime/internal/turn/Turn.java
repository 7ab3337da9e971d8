package dev.holdfast.runtime.internal.turn;

import dev.holdfast.Consistency;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.runtime.internal.gate.Headroom;
import dev.holdfast.runtime.internal.gate.InputGate;
import dev.holdfast.runtime.internal.gate.OutputGate;
import dev.holdfast.runtime.internal.jfr.FlightRecording;
import dev.holdfast.runtime.internal.jfr.GateWaitEvent;
import dev.holdfast.runtime.internal.jfr.RecordedOutcome;
import dev.holdfast.runtime.internal.jfr.TurnEvent;
import dev.holdfast.runtime.internal.statistics.NamespaceRecorder;
import dev.holdfast.runtime.internal.statistics.TurnCounts;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.statistics.ResetReason;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The turn of one instance: one execution after the other has it.
 *
 * <p>A turn begins when the input gate admits an execution and ends when the execution waits or is
 * over. At its end the turn is <em>sealed</em>: everything it wrote becomes one batch with one
 * journal position, and only then the gate opens. Sealing before opening is what makes a batch
 * contain a turn and nothing else, and sealing before a wait is what gives the batch of a caller a
 * lower position than the batch of the object it calls: no crash keeps the effect of a call and
 * loses what the caller wrote before it. {@link TurnWork} has what a turn reads, writes and sends;
 * {@link InstanceReset} ends the instance.
 *
 * <p><b>Exhaustion.</b> Object code that runs out of stack or memory resets its object. The engine
 * proves that there is stack for its own work at two doors: before a turn is entered, and at the
 * entry of a method of the context or the storage ({@link #enterEngine}). A door proves room for
 * all that its method does, also after object code has run in it. Any error in the engine's own
 * work that is not expected leaves a gate or a turn in the middle; it stops the runtime ({@link
 * EngineParts#engineFailed}).
 *
 * <p>The fields are confined to the thread that holds the gate; the gate orders one holder before
 * the next. Other threads also read the state, and can only mistake it for what they wrote
 * themselves: a thread finds its execution there only while it holds the turn.
 */
public final class Turn {

  private final EngineParts parts;
  private final ObjectKey key;
  private final InputGate gate;
  private final TurnWork work;
  private final WaitingExecutions waiting = new WaitingExecutions();
  private final InstanceReset end;
  private final NamespaceRecorder recorder;
  private final TurnCounts counts;

  // Confined to the holder of the turn.
  private TurnState state = TurnState.Idle.IDLE;
  private TurnState stateWhenLeft = TurnState.Idle.IDLE;
  private long timedFromNanos;
  private long queuedNanos;
  private int queuedWeight;
  private int timingWeight;
  private @Nullable TurnEvent event;
  private int callersFirstCount;

  /**
   * Creates the turn of a new instance.
   *
   * @param parts what instances share
   * @param key the object
   * @param storeOpener gives the object's store; called at most once, in a turn
   * @param recorder counts what the objects of the namespace do
   * @param end notified when the instance is gone
   * @param held whether the gate begins shut, to be released by {@link #letIn}
   */
  public Turn(
      EngineParts parts,
      ObjectKey key,
      Supplier<ObjectStore> storeOpener,
      NamespaceRecorder recorder,
      End end,
      boolean held) {
    this.parts = parts;
    this.key = key;
    this.gate = new InputGate(held);
    this.recorder = recorder;
    this.counts = recorder.begin();
    this.work = new TurnWork(this, storeOpener);
    this.end = new InstanceReset(this, gate, work, waiting, end);
  }

  /** Notified when an instance is gone. */
  @FunctionalInterface
  public interface End {

    /**
     * Called once, when no turn of the instance runs or ever will and its store was released. No
     * lock is held.
     *
     * @return the successor whose gate is held because a turn of this instance ran: the caller lets
     *     its first event in; null if there is none
     */
    @Nullable Turn terminated();
  }

  // ---- The way of an execution ------------------------------------------------------------

  /**
   * Runs an execution that was admitted: begins its first turn, runs its code, which may wait and
   * take further turns, seals its last one, and opens the gate. Its reply is recorded in it.
   *
   * @param execution the execution that holds the gate
   * @param stack the stack of the current thread
   * @param code the object code
   */
  void run(Execution execution, ExecutionStack stack, Execution.Code code) {
    Execution below = stack.top();
    stack.setTop(execution);
    try {
      begin(execution);
      Object result = null;
      Throwable failure = null;
      try {
        // A reset may have been recorded just before the gate admitted this.
        unwindIfReset();
        result = code.run(execution);
      } catch (Throwable e) {
        // Object code may throw anything; it is the reply.
        failure = e;
        resetIfExhausted(e);
      }
      if (!isHeldBy(execution)) {
        // Its code went on after a wait that has failed.
        reset(
            ResetReason.RUNTIME_FAILED, "The object was reset because it lost its turn.", failure);
      }
      boolean sealed = isHeldBy(execution) && work.seal(execution) && work.letMessagesLeave();
      execution.setOver(sealed ? output().position() : end.position());
      count(execution, sealed, failure);
      if (isHeldBy(execution)) {
        leave();
      }
      execution.end(result, sealed ? failure : end.exceptionFor(execution, failure));
    } catch (Throwable e) {
      abandon(execution, e);
    } finally {
      stack.setTop(below);
    }
  }

  /** Begins a turn of an execution that was admitted. */
  private void begin(Execution execution) {
    assert !(state instanceof TurnState.Held) : "two executions have one turn";
    state = execution;
    counts.turn();
    Timing timing = execution.timing();
    if (timing != null) {
      beginTimed(timing);
    }
    TurnEvent begun = FlightRecording.isPossible() ? TurnEvent.begun() : null;
    if (begun != null) {
      event = begun;
    }
  }

  private void beginTimed(Timing timing) {
    timingWeight = timing.weight;
    if (timingWeight != 0) {
      timedFromNanos = recorder.nanos();
      queuedNanos = timing.takeQueuedNanos(timedFromNanos);
      queuedWeight = timingWeight;
      timing.endGateWait(this);
    }
  }

  /**
   * Takes the time of the running turn from now on, if it was not chosen anyway: it does what all
   * turns are timed for.
   */
  public void time() {
    if (timingWeight == 0) {
      timedFromNanos = recorder.nanos();
    }
    timingWeight = 1;
  }

  /** Counts how a call has ended. */
  private void count(Execution execution, boolean sealed, @Nullable Throwable failure) {
    if (!sealed) {
      if (execution.takeCount(RecordedOutcome.RESET)) {
        recorder.callReset();
      }
    } else if (failure != null) {
      if (execution.takeCount(RecordedOutcome.THREW)) {
        counts.threw();
      }
    } else if (execution.takeCount(RecordedOutcome.RETURNED)) {
      counts.returned();
    }
  }

  /** Gives up the turn: opens the gate, or cleans up if the gate was shut. */
  private void leave() {
    if (giveUp()) {
      end.cleanUp();
    }
  }

  /** {@return whether the gate was shut, so that the caller has to clean up} */
  private boolean giveUp() {
    int weight = timingWeight;
    long fromNanos = timedFromNanos;
    long waitNanos = queuedNanos;
    int waitWeight = queuedWeight;
    long toNanos = 0;
    if (weight != 0) {
      toNanos = recorder.nanos();
      timingWeight = 0;
      queuedWeight = 0;
    }
    TurnEvent ended = event;
    if (ended != null) {
      event = null;
    }
    state = stateWhenLeft;
    boolean isShut;
    try {
      isShut = gate.release();
    } catch (RuntimeException | Error e) {
      // The next holder may not have been woken. It sees the end of the runtime.
      parts.engineFailed(e);
      return false;
    }
    // Last: the turn does not wait for it, nor do those that queue.
    if (weight != 0) {
      if (waitWeight != 0) {
        recorder.inputGate(waitNanos, waitWeight);
      }
      recorder.turn(key, counts, toNanos - fromNanos, toNanos, weight);
    }
    if (ended != null) {
      ended.end(key);
    }
    return isShut;
  }

  /**
   * Lets the first event in; for the predecessor, which held the gate.
   *
   * @return the next successor, if this instance was reset meanwhile and has ended without a turn;
   *     null if there is none
   */
  @Nullable Turn letIn() {
    return giveUp() ? end.endUnbegun() : null;
  }

  /**
   * Ends an execution in which the engine itself has failed. Releases the gate only if the
   * execution holds it.
   */
  void abandon(Execution execution, Throwable failure) {
    // First: if memory runs out below, a worker hands over what is there, and no result is a
    // result.
    execution.end(null, failure);
    parts.engineFailed(failure);
    try {
      reset(ResetReason.RUNTIME_FAILED, EngineFailure.resetMessage(failure), failure);
    } catch (RuntimeException | Error e) {
      parts.engineFailed(e);
    }
    // Also if there was no memory for the reset: the next holder cannot go on, and no other thread
    // can give up this turn.
    if (isHeldBy(execution)) {
      leave();
    }
    execution.setOver(end.position());
    execution.end(null, end.exceptionFor(execution, null));
  }

  /** As {@link #abandon}, for an execution that was admitted and has not begun its turn. */
  void abandonAdmitted(Execution execution, Throwable failure) {
    begin(execution);
    abandon(execution, failure);
  }

  // ---- Waits ------------------------------------------------------------------------------

  /**
   * Ends the turn of an execution that is going to wait.
   *
   * @param execution whose turn it is
   * @return what messages that leave now depend on: the position of the output gate as the turn
   *     left it. The next holder may raise it; that is not for this execution to wait for.
   * @throws ResetError if the turn cannot be sealed; or if it is not a turn of this execution,
   *     which was reset while it was outside
   * @throws MisuseException if a synchronous transaction is open; nothing has happened
   */
  public long suspend(Execution execution) {
    if (!isHeldBy(execution)) {
      // Its work outside of the turn goes on in Java and may call; the store turn that is open now,
      // and whatever else the turn owns, belongs to another execution, which may be using it.
      throw end.error();
    }
    work.transactions().refuseWait();
    work.keepCursors();
    try {
      if (!work.seal(execution) || !work.letMessagesLeave()) {
        throw end.error();
      }
      work.keepOverWait();
      stateWhenLeft = new TurnState.Waiting(waitingCount() + 1);
      if (execution.isOnWorker()) {
        callersFirstCount = QueueWorker.CALLERS_FIRST_AFTER_WAIT;
      }
      long snapshot = output().position();
      leave();
      execution.awaitRoomForActions();
      return snapshot;
    } catch (RuntimeException | Error e) {
      throw end.unwinding(e);
    }
  }

  /**
   * Begins the next turn of an execution that has waited. Interrupts do not end this wait; the flag
   * is kept.
   *
   * @param execution the execution that has waited
   * @throws ResetError if the instance was reset meanwhile
   */
  public void resume(Execution execution) {
    resume(execution, null);
  }

  /**
   * As {@link #resume(Execution)}, after a wait for durable writes.
   *
   * @param execution the execution that has waited
   * @param sync its wait; null if it was another one
   * @throws ResetError if the instance was reset meanwhile
   */
  void resume(Execution execution, Waits.@Nullable SyncWait sync) {
    try {
      if (!TurnAdmission.admitAgain(execution, sync)) {
        throw end.error();
      }
      begin(execution);
      int left = waitingCount() - 1;
      stateWhenLeft = left == 0 ? TurnState.Idle.IDLE : new TurnState.Waiting(left);
    } catch (RuntimeException | Error e) {
      throw end.unwinding(e);
    }
    unwindIfReset();
  }

  /**
   * Ends the turn and begins the next one of the same execution, without letting others in.
   *
   * @param execution whose turn it is
   * @throws ResetError if the turn cannot be sealed
   */
  public void sealOrUnwind(Execution execution) {
    if (!isHeldBy(execution)) {
      throw end.error();
    }
    work.keepCursors();
    try {
      if (!work.seal(execution)) {
        throw end.error();
      }
    } catch (RuntimeException | Error e) {
      throw end.unwinding(e);
    }
  }

  private int waitingCount() {
    return stateWhenLeft instanceof TurnState.Waiting(int count) ? count : 0;
  }

  /** {@return the execution that has the turn, and those that are outside of it} */
  public List<Execution> executions() {
    List<Execution> all = new ArrayList<>(waiting.all());
    Execution running = holder();
    if (running != null) {
      all.add(running);
    }
    return all;
  }

  /** {@return the executions outside of the turn, which would not notice a reset} */
  WaitingExecutions waiting() {
    return waiting;
  }

  /**
   * {@return whether a queue worker may take the next call; asked by the thread that gives up the
   * turn}
   */
  boolean mayUseWorker() {
    if (callersFirstCount > 0) {
      callersFirstCount--;
      return false;
    }
    return true;
  }

  // ---- Inside a turn ----------------------------------------------------------------------

  /**
   * Checks that the current thread runs the current turn. Each operation of the context and the
   * storage does so once, at its entry.
   *
   * @return the execution whose turn it is
   * @throws MisuseException if it does not
   */
  public Execution check() {
    if (state instanceof Execution running
        && running.runsOn(Thread.currentThread())
        && !isReset()) {
      return running;
    }
    throw Refusal.of(this);
  }

  /**
   * Proves that there is stack for what the engine does next. Here an error for lack of it strikes
   * before anything has changed, and is one of the object code.
   *
   * @throws StackOverflowError if there is not
   */
  public void enterEngine() {
    Headroom.require();
  }

  /**
   * {@return the store turn of the current turn, after a door} The operation has checked the turn;
   * a thread that has lost it since then unwinds here.
   */
  public StoreTurn storeTurn() {
    enterEngine();
    return provenStoreTurn();
  }

  /**
   * Returns the store turn, and begins it if this is its first use. For methods that have passed
   * their door: a second one could refuse them in the middle.
   *
   * @return the store turn of the current turn
   */
  public StoreTurn provenStoreTurn() {
    unwindIfReset();
    return work.storeTurn();
  }

  /** {@return what the turn reads, writes and sends; for the thread that runs it} */
  public TurnWork work() {
    return work;
  }

  /** {@return the bookmarks of the object, to be used in the current turn} */
  public Bookmarks bookmarks() {
    check();
    enterEngine();
    return work.bookmarks();
  }

  // ---- The end of the instance ------------------------------------------------------------

  /**
   * Resets the instance. Only the first reset counts.
   *
   * @param reason why, for the statistics
   * @param message for every call in flight
   * @param cause what went wrong, or null
   */
  public void reset(ResetReason reason, String message, @Nullable Throwable cause) {
    end.reset(reason, message, cause);
  }

  /**
   * Resets the instance because its storage cannot be trusted any more.
   *
   * @param failure what the storage threw
   * @throws ResetError if the engine has failed meanwhile
   */
  public void storageFailed(Throwable failure) {
    try {
      reset(
          ResetReason.STORAGE_FAILED, "The object was reset because its storage failed.", failure);
    } catch (RuntimeException | Error e) {
      throw end.unwinding(e);
    }
  }

  /** Resets the instance if its code ran out of stack or memory. */
  void resetIfExhausted(Throwable failure) {
    if (failure instanceof VirtualMachineError) {
      reset(
          ResetReason.EXHAUSTED,
          "The object was reset because its code ran out of stack or memory.",
          failure);
    }
  }

  /**
   * Resets the instance in a turn of the current thread, for a reason that may quote a bookmark.
   *
   * @param reason why, for the statistics
   * @param message for every call in flight
   * @param cause what went wrong, or null
   */
  void resetInTurn(ResetReason reason, String message, @Nullable Throwable cause) {
    if (!isReset() && work.letMessagesLeave()) {
      reset(reason, message, cause);
    }
  }

  /**
   * Seals the current turn and resets the instance, so that what it remembers does not outlive what
   * the turn has written.
   *
   * @param message for every other call in flight
   */
  public void sealAndReset(String message) {
    sealOrUnwind(check());
    reset(ResetReason.ADMINISTRATION, message, null);
  }

  /**
   * Resets the instance from within.
   *
   * @param message for every call in flight
   * @return never; declared for {@code throw}
   */
  public ResetError abort(String message) {
    check();
    enterEngine();
    resetInTurn(ResetReason.ABORTED, message, null);
    throw end.error();
  }

  /**
   * Ends the instance quietly if it is idle.
   *
   * @param idle asked while the turn is held; whether nothing else keeps the instance
   * @return whether it has ended
   */
  public boolean stopIfIdle(BooleanSupplier idle) {
    while (gate.tryEnter()) {
      boolean wasIdle = idle.getAsBoolean();
      if (wasIdle && waitingCount() == 0 && gate.shutIfNobodyWaits()) {
        end.cleanUp();
        return true;
      }
      leave();
      // The thread that makes it idle asks next, but is turned away by a gate that is held: by this
      // very question, for example. An execution that waits asks when it is over.
      if (wasIdle || !idle.getAsBoolean()) {
        return false;
      }
    }
    return false;
  }

  // ---- What others ask --------------------------------------------------------------------

  /** {@return the execution that has the turn, also after a reset; racy, for reports} */
  public @Nullable Execution holder() {
    return state instanceof Execution holder ? holder : null;
  }

  /**
   * Names the executions that have the turn, or are in a wait; racy, for reports. Those that wait
   * for a call are named with the execution of that call.
   *
   * @param action what to do with each; the same one may come twice
   */
  public void executions(Consumer<Execution> action) {
    if (state == TurnState.Idle.IDLE) {
      return;
    }
    Execution holder = holder();
    if (holder != null) {
      action.accept(holder);
    }
    waiting.all().forEach(action);
  }

  /** {@return whether the instance was reset} */
  public boolean isReset() {
    return end.hasHappened();
  }

  /**
   * {@return whether an execution has the turn now; asked by its own thread}
   *
   * @param execution the execution
   */
  public boolean isHeldBy(Execution execution) {
    return state == execution;
  }

  /**
   * Keeps object code from going on in an instance that was reset; the current thread holds the
   * turn.
   *
   * @throws ResetError if it was
   */
  public void unwindIfReset() {
    end.unwind();
  }

  /** {@return how the instance ends, and what those in flight get of it} */
  InstanceReset end() {
    return end;
  }

  /** {@return what the instances of the runtime share} */
  public EngineParts parts() {
    return parts;
  }

  /** {@return the object} */
  public ObjectKey key() {
    return key;
  }

  InputGate gate() {
    return gate;
  }

  /** {@return what messages of the object wait for} */
  public OutputGate output() {
    return work.output();
  }

  /** {@return how many turns have begun; racy: the sweeper only compares it} */
  public long turnCount() {
    return counts.turns();
  }

  /**
   * Blocks until a message of the object may leave.
   *
   * @param dependency what it depends on
   * @param weight how many messages it stands for if it need not wait; 0 if it is not timed then
   * @param consistency what it waits for where another runtime may take over
   * @throws dev.holdfast.errors.JournalFailedException if it never may
   */
  public void awaitOutput(long dependency, int weight, Consistency consistency) {
    if (output().isOpenFor(dependency, consistency)) {
      if (weight != 0) {
        recorder.outputGate(0, weight);
      }
      return;
    }
    GateWaitEvent waiting = FlightRecording.isPossible() ? GateWaitEvent.begun() : null;
    long beganNanos = recorder.nanos();
    output().await(dependency, consistency);
    recorder.outputGate(recorder.nanos() - beganNanos, 1);
    if (waiting != null) {
      waiting.end(key, GateWaitEvent.Gate.OUTPUT);
    }
  }

  /** {@return how many wait for the turn now} */
  public int queueLength() {
    return gate.isContended() ? gate.waitingCount() : 0;
  }

  /** {@return what counts the objects of the namespace} */
  public NamespaceRecorder recorder() {
    return recorder;
  }

  TurnCounts counts() {
    return counts;
  }

  /** Counts a batch that the turn has handed to the journal. */
  void countBatch(long bytes) {
    counts.batch(bytes);
    TurnEvent running = event;
    if (running != null) {
      running.addBatch(bytes);
    }
    recorder.batch(key, counts, bytes);
  }

  /** Interrupts every thread that runs or waits in the instance, or works outside of its turn. */
  public void interrupt() {
    waiting.interruptAll();
    Execution running = holder();
    if (running != null) {
      running.interrupt();
    }
  }
}
