package dev.holdfast.runtime.internal.turn;

import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.runtime.internal.gate.CallOrder;
import dev.holdfast.runtime.internal.gate.InputGate;
import dev.holdfast.runtime.internal.gate.OutputGate;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.StoreTurn;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The turns of one instance, one after the other.
 *
 * <p>A <em>turn</em> begins when the input gate admits an execution and ends when the execution
 * waits or is over. Its store turn begins with its first use of the storage. At its end the turn is
 * <em>sealed</em>: everything it wrote becomes one batch with one journal position, and only then
 * the gate opens. Sealing before opening is what makes a batch contain a turn and nothing else, and
 * sealing before a wait is what gives the batch of a caller a lower position than that of whom it
 * calls: no crash keeps the effect of a call and loses what the caller wrote before it.
 *
 * <p>What happens at the end of a turn is in {@link TurnSeal}, waits are in {@link Suspension}, and
 * how all of this ends, and what a reset is, in {@link Ending}.
 *
 * <p>The fields of the turn are owned by the thread that holds the gate; the gate orders one holder
 * before the next. {@code current} is besides read by foreign threads, which can only mistake it
 * for what they wrote themselves: a thread finds itself in it only while it holds the turn.
 */
public final class Turns {

  private final EngineServices services;
  private final ObjectKey key;
  private final InputGate gate;
  private final OutputGate output;

  // Owned by the holder of the turn.
  private final TurnWork work;
  @Nullable Execution current;
  private final Bookmarks bookmarks;
  private @Nullable FiringAlarm firingAlarm;
  private int turnCount;

  /** Created under this; read without, as all of it is final. Null before the first such call. */
  private @Nullable CallOrder callOrder;

  private final Suspension suspension;
  private final TurnSeal seal;
  final Ending ending;

  /**
   * Creates the turns of a new instance.
   *
   * @param services what instances share
   * @param key the object
   * @param storeOpener gives the object's store; called at most once, in a turn
   * @param end learns that the instance is gone
   * @param held whether the gate begins shut, to be released by {@link #letIn}
   */
  public Turns(
      EngineServices services,
      ObjectKey key,
      Supplier<ObjectStore> storeOpener,
      InstanceEnd end,
      boolean held) {
    this.services = services;
    this.key = key;
    this.work = new TurnWork(storeOpener, new OpenTransactions(key));
    this.gate = new InputGate(held);
    this.output = new OutputGate(services.journal());
    this.ending = new Ending(this, end);
    this.suspension = new Suspension(this);
    this.bookmarks = new Bookmarks(services, key, work, output, message -> reset(message, null));
    this.seal = new TurnSeal(this, work, bookmarks);
  }

  /** {@return what the instances of the runtime share} */
  public EngineServices services() {
    return services;
  }

  /** {@return the object} */
  public ObjectKey key() {
    return key;
  }

  /** {@return the order of the asynchronous calls that the object makes} */
  CallOrder callOrder() {
    CallOrder made = callOrder;
    return made != null ? made : createCallOrder();
  }

  private synchronized CallOrder createCallOrder() {
    CallOrder made = callOrder;
    if (made == null) {
      made = new CallOrder();
      callOrder = made;
    }
    return made;
  }

  /** {@return whether asynchronous calls that the object has made may not be delivered yet} */
  boolean isOrdered() {
    CallOrder made = callOrder;
    return made != null && !made.isIdle();
  }

  InputGate gate() {
    return gate;
  }

  /** {@return how the instance ends} */
  public Ending ending() {
    return ending;
  }

  TurnWork work() {
    return work;
  }

  Bookmarks bookmarksOfTurn() {
    return bookmarks;
  }

  /** {@return what messages of the object wait for} */
  public OutputGate output() {
    return output;
  }

  /** {@return how many turns have begun; wraps around. Racy: for the sweeper, who only compares} */
  public int turnCount() {
    return turnCount;
  }

  /** {@return the waits of the object's executions} */
  public Suspension suspension() {
    return suspension;
  }

  /** {@return the execution that runs now; racy, for reports} */
  public @Nullable Execution current() {
    return current;
  }

  /** {@return the alarm whose handler runs; null if none does. For the holder of the turn} */
  public @Nullable FiringAlarm firingAlarm() {
    return firingAlarm;
  }

  /**
   * Notes which alarm's handler runs. Called by the holder of the turn.
   *
   * @param alarm the alarm; null when the handler has ended
   */
  public void setFiringAlarm(@Nullable FiringAlarm alarm) {
    firingAlarm = alarm;
  }

  /** {@return whether the instance was reset} */
  public boolean isReset() {
    return ending.isReset();
  }

  /** {@return whether this execution runs in a turn now; asked by its own thread} */
  public boolean isRunning(Execution execution) {
    return current == execution;
  }

  /**
   * {@return whether what this execution does is a matter of its object: it runs in a turn, or it
   * was reset and must not go on}
   *
   * @param execution one of the current thread
   */
  public boolean isCurrentOrReset(Execution execution) {
    return current == execution || isReset();
  }

  // ---- The way in -------------------------------------------------------------------------

  /** {@return whether the turn was free and now belongs to the caller} */
  public boolean tryEnter() {
    // A reset is noted before the gate is shut. Whoever was told of it must not get in between: it
    // was not in flight, and would be told of the same reset again.
    return !isReset() && gate.tryEnter();
  }

  /**
   * Starts the first turn of an execution that was admitted. Before it runs any object code it
   * calls {@link #unwindIfReset}: the reset may have been noted just before.
   *
   * @param execution whose turn it is
   */
  public void begin(Execution execution) {
    current = execution;
    execution.begun = true;
    turnCount++;
  }

  // ---- Inside a turn ----------------------------------------------------------------------

  /**
   * Checks that the current thread runs the current turn.
   *
   * @return the execution whose turn it is
   * @throws MisuseException if it does not
   */
  public Execution check() {
    Execution running = current;
    if (running != null && running.runsOn(Thread.currentThread()) && !isReset()) {
      return running;
    }
    throw Refusal.of(this);
  }

  /**
   * Returns the store turn, and begins it if it is the first use.
   *
   * @return the store turn of the current turn
   */
  public StoreTurn storeTurn() {
    check();
    try {
      return work.storeTurn();
    } catch (RuntimeException | Error e) {
      storageFailed(e);
      throw e;
    }
  }

  /**
   * Notes that messages must wait for what this turn writes. It may be there already, by an
   * unconfirmed write: then the turn has no batch, and messages wait for the batch that put it
   * there, which is the last one of the object or an earlier one.
   */
  public void confirmWrites() {
    work.confirm();
    output.raiseTo(output.sealedPosition());
  }

  /**
   * Notes that messages must wait for the batch of this turn, if it has one. For what may as well
   * be a read, which waits for no unconfirmed write.
   */
  public void confirmBatch() {
    work.confirm();
  }

  /** {@return the open transactions of the instance} */
  public OpenTransactions transactions() {
    return work.transactions();
  }

  /**
   * Resets the instance because its storage cannot be trusted any more.
   *
   * @param failure what the storage threw
   */
  public void storageFailed(Throwable failure) {
    reset("The object was reset because its storage failed.", failure);
  }

  /**
   * Sends a message when the current turn is sealed.
   *
   * @param message the message
   */
  public void send(Outgoing message) {
    check();
    work.add(message);
  }

  /**
   * Returns the bookmarks of the object, for the current turn.
   *
   * @return to be used now
   */
  public Bookmarks bookmarks() {
    check();
    return bookmarks;
  }

  /** Brings the object back first if that was asked for; the holder of the turn creates it then. */
  public void beginSession() {
    try {
      bookmarks.beginSession();
    } catch (RuntimeException | Error e) {
      if (e instanceof JournalFailedException failure) {
        services.journalFailed(failure);
      }
      storageFailed(e);
      throw e;
    }
  }

  /**
   * Keeps object code from going on in an instance that was reset; the current thread holds the
   * turn.
   *
   * @throws ResetError if it was
   */
  public void unwindIfReset() {
    ending.unwindIfReset();
  }

  /** Ends the turn of an execution that is going to wait. */
  void sealBeforeWait(Execution execution) {
    seal.sealBeforeWait(execution);
  }

  /**
   * Ends the turn and begins the next one of the same execution, without letting anybody in.
   *
   * @param execution whose turn it is
   */
  public void sealOrUnwind(Execution execution) {
    seal.sealOrUnwind(execution);
  }

  // ---- The way out ------------------------------------------------------------------------

  /**
   * Ends the last turn of an execution.
   *
   * @param execution who is over
   * @return whether its result counts; false if the instance was reset before
   */
  public boolean finish(Execution execution) {
    if (current != execution) {
      // It came here without a turn: reset during a wait, or there was no stack left to go on.
      ending.resetOutOfTurn();
      execution.setOver(ending.resetPosition());
      return false;
    }
    ending.resetIfDue();
    boolean sealed = seal.sealLast(execution);
    execution.setOver(sealed ? output.position() : ending.resetPosition());
    leave();
    return sealed;
  }

  /**
   * Resets the instance if its code ended with an error of the Java machine itself: stack or memory
   * ran out anywhere, perhaps in the middle of something, and object code may have gone on.
   *
   * @param failure what the code of an execution threw that is about to finish; null for nothing
   * @return the failure
   */
  public @Nullable Throwable resetIfExhausted(@Nullable Throwable failure) {
    if (failure instanceof VirtualMachineError) {
      reset("The object was reset because its code ran out of stack or memory.", failure);
    }
    return failure;
  }

  /** Gives up the turn: opens the gate, or cleans up if the gate was shut. */
  void leave() {
    current = null;
    boolean shut;
    try {
      shut = gate.release();
    } catch (VirtualMachineError e) {
      ending.lost = true;
      throw e;
    }
    if (shut) {
      ending.cleanUp();
    }
  }

  /** Notes that an execution which was admitted is gone, in the middle of the engine. */
  void noteLost(Execution execution) {
    if (execution.over && current != execution) {
      return;
    }
    if (execution.begun && current != execution) {
      // It was in a wait: others may have the turn.
      ending.due = true;
    } else {
      ending.lost = true;
    }
  }

  /** Lets the first event in; for the predecessor, who held the gate. */
  public void letIn() {
    leave();
  }

  /**
   * Seals the current turn and resets the instance, so that what it remembers does not outlive what
   * the turn has written.
   *
   * @param message told to every other call in flight
   */
  public void sealAndReset(String message) {
    sealOrUnwind(check());
    reset(message, null);
  }

  // ---- The end of the instance ------------------------------------------------------------

  /**
   * Resets the instance. Only the first reset counts.
   *
   * @param message told to every call in flight
   * @param cause what went wrong, or null
   */
  public void reset(String message, @Nullable Throwable cause) {
    ending.reset(message, cause);
  }

  /**
   * Resets the instance in a turn of the current thread, for a reason that may quote a bookmark.
   *
   * @param message told to every call in flight
   * @param cause what went wrong, or null
   */
  void resetInTurn(String message, @Nullable Throwable cause) {
    if (!isReset() && seal.letWordsLeave()) {
      reset(message, cause);
    }
  }

  /**
   * Resets the instance from within.
   *
   * @param message told to every call in flight
   * @return never; declared for {@code throw}
   */
  public ResetError abort(String message) {
    check();
    resetInTurn(message, null);
    throw new ResetError(key.toString());
  }

  /**
   * Takes an event that has not begun back out of the queue.
   *
   * @param event the event
   */
  public void withdraw(Execution event) {
    gate.withdraw(event);
  }

  /** Interrupts every thread that runs or waits in the instance, or works outside of its turn. */
  public void interrupt() {
    suspension.waiting().interruptAll();
    Execution running = current;
    if (running != null) {
      running.interrupt();
    }
  }
}
