package dev.holdfast.runtime.internal.turn;

import dev.holdfast.ContextMisuseException;
import dev.holdfast.InstanceResetException;
import dev.holdfast.JournalFailedException;
import dev.holdfast.runtime.internal.gate.Dismissal;
import dev.holdfast.runtime.internal.gate.InputGate;
import dev.holdfast.runtime.internal.gate.InputGate.Entry;
import dev.holdfast.runtime.internal.gate.OutputGate;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.StoreTurn;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
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
 * <p>A <em>wait</em> of an execution is: {@link #suspend} (seal, open the gate), block, {@link
 * #resume} (queue at the gate, in the section the execution belongs to). Java's own stack is the
 * continuation.
 *
 * <p><b>Reset.</b> {@link #reset} may be called by any thread. It notes the reason, shuts the gate,
 * and wakes whoever is parked in a wait. No object code of the instance begins a turn afterwards. A
 * turn that runs goes on in Java, because a thread cannot be stopped, but not in effect: its next
 * use of the context throws {@link ResetError}, and what it wrote is discarded. When it ends, or at
 * once if none runs, exactly one thread cleans up: discards the open store turn, releases the
 * store, and tells the {@link InstanceEnd}. Only then a successor may open the object's store.
 *
 * <p>The fields of the turn are owned by the thread that holds the gate; the gate orders one holder
 * before the next. {@code current} is besides read by foreign threads, which can only mistake it
 * for what they wrote themselves: a thread finds itself in it only while it holds the turn.
 */
public final class Turns {

  private static final int HAND_OVERS_AFTER_WAIT = 64;

  private final EngineServices services;
  private final ObjectKey key;
  private final InstanceEnd end;
  private final InputGate gate;
  private final OutputGate output;

  // Owned by the holder of the turn.
  private final TurnWork work;
  private @Nullable Execution current;
  private final Bookmarks bookmarks;
  private int suspendedCount;
  private @Nullable FiringAlarm firingAlarm;
  private int turnCount;

  /** So many calls are left to their callers before a drain may take one again. */
  private int handOverCount;

  private volatile @Nullable Reset reset;

  private final WaitingExecutions waiting = new WaitingExecutions();

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
    this.end = end;
    this.work = new TurnWork(storeOpener, new OpenTransactions(key));
    this.gate = new InputGate(held);
    this.output = new OutputGate(services.journal());
    this.bookmarks = new Bookmarks(services, key, work, output, message -> reset(message, null));
  }

  /** {@return what the instances of the runtime share} */
  public EngineServices services() {
    return services;
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
    return output;
  }

  /** {@return how many turns have begun; wraps around. Racy: for the sweeper, who only compares} */
  public int turnCount() {
    return turnCount;
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
    return reset != null;
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
    return current == execution || reset != null;
  }

  // ---- The way in -------------------------------------------------------------------------

  /** {@return whether the turn was free and now belongs to the caller} */
  public boolean tryEnter() {
    // A reset is noted before the gate is shut. Whoever was told of it must not get in between: it
    // was not in flight, and would be told of the same reset again.
    return reset == null && gate.tryEnter();
  }

  /** {@return whether a drain may take the next call; asked by who gives up the turn} */
  boolean mayDrain() {
    if (handOverCount > 0) {
      handOverCount--;
      return false;
    }
    return true;
  }

  /**
   * Starts the first turn of an execution that was admitted. Before it runs any object code it
   * calls {@link #unwindIfReset}: the reset may have been noted just before.
   *
   * @param execution whose turn it is
   */
  public void begin(Execution execution) {
    current = execution;
    turnCount++;
  }

  // ---- Inside a turn ----------------------------------------------------------------------

  /**
   * Checks that the current thread runs the current turn.
   *
   * @return the execution whose turn it is
   * @throws ContextMisuseException if it does not
   */
  public Execution check() {
    Execution running = current;
    if (running != null && running.runsOn(Thread.currentThread()) && reset == null) {
      return running;
    }
    throw refusal();
  }

  private ContextMisuseException refusal() {
    Execution own = ExecutionStack.current().top();
    while (own != null && own.turns() != this) {
      own = own.outer();
    }
    if (own != null && reset != null) {
      throw new ResetError(key.toString());
    }
    String message =
        own != null
            ? "The turn has ended: work given to call(), and code of other objects, must not use"
                + " this context."
            : "This context may be used only by the thread that runs the object's current turn, and"
                + " only until the instance is reset or evicted; call the object through its stub,"
                + " or start a strand with async().";
    return new ContextMisuseException(key.namespace(), key.id(), message);
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

  /** Notes that messages must wait for the batch of this turn. */
  public void confirmWrites() {
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

  /** {@return whether no execution is inside a wait; asked by the holder of the turn} */
  public boolean nobodySuspended() {
    return suspendedCount == 0;
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

  // ---- Waits ------------------------------------------------------------------------------

  /**
   * Ends the turn of an execution that is going to wait.
   *
   * @param execution whose turn it is
   * @return what words that leave now depend on: the position of the output gate as the turn left
   *     it. Whoever gets in next may raise it; that is not for this execution to wait for.
   * @throws ResetError if the turn cannot be sealed
   * @throws ContextMisuseException if a synchronous transaction is open; nothing has happened
   */
  public long suspend(Execution execution) {
    transactions().refuseWait();
    sealOrUnwind(execution);
    suspendedCount++;
    if (execution.isDrained()) {
      // Calls that wait keep their threads. To give each a thread of its own, beside that of its
      // caller, costs more than to wake the caller.
      handOverCount = HAND_OVERS_AFTER_WAIT;
    }
    long snapshot = output.position();
    leave();
    return snapshot;
  }

  /**
   * Begins the next turn of an execution that has waited. Interrupts do not end this wait; the flag
   * is kept.
   *
   * @param execution who wants to go on
   * @throws ResetError if the instance was reset meanwhile
   */
  public void resume(Execution execution) {
    if (!gate.tryEnter()) {
      Entry entry = gate.enter(execution, Integer.MAX_VALUE);
      if (entry == Entry.QUEUED_BEHIND_SECTION) {
        services.deadlocks().resetIfStuck(execution);
      }
      execution.parkUntilDecided();
      if (entry == Entry.SHUT || execution.isDismissed()) {
        throw new ResetError(key.toString());
      }
    }
    begin(execution);
    suspendedCount--;
    unwindIfReset();
  }

  /**
   * Ends the turn and begins the next one of the same execution, without letting anybody in.
   *
   * @param execution whose turn it is
   * @throws ResetError if the turn cannot be sealed
   */
  void sealOrUnwind(Execution execution) {
    work.keepCursors();
    if (!seal(execution)) {
      throw new ResetError(key.toString());
    }
  }

  /**
   * Keeps object code from going on in an instance that was reset; the current thread holds the
   * turn.
   *
   * @throws ResetError if it was
   */
  public void unwindIfReset() {
    if (reset != null) {
      throw new ResetError(key.toString());
    }
  }

  /** Parks outside of the turn while a condition lasts. A reset ends it; it may end too early. */
  void park(Execution execution, Object blocker) {
    boolean added = waiting.add(execution);
    // Added before it looks, and a reset is noted before it looks for who waits: either the reset
    // finds this thread and wakes it, or this thread finds the reset. No wake-up is lost.
    if (reset == null) {
      LockSupport.park(blocker);
    }
    if (added) {
      waiting.remove(execution);
    }
  }

  /** {@return who is outside of the turn} */
  WaitingExecutions waiting() {
    return waiting;
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
      // Reset during a wait: the execution came here without a turn.
      execution.setOver(resetPosition());
      return false;
    }
    boolean sealed = seal(execution);
    execution.setOver(sealed ? output.position() : resetPosition());
    leave();
    return sealed;
  }

  /** Opens the gate, or cleans up if the gate was shut. */
  private void leave() {
    current = null;
    if (gate.release()) {
      cleanUp();
    }
  }

  /** Lets the first event in; for the predecessor, who held the gate. */
  public void letIn() {
    leave();
  }

  /** Seals the turn; false if the instance is reset, before or by this. */
  private boolean seal(Execution execution) {
    if (reset != null) {
      // Here, and not by who cleans up: the gate may not be shut yet, and whoever shuts it would
      // discard the store turn on a thread that does not own it.
      discard();
      return false;
    }
    if (work.hasWritten() && !sealBatch(execution)) {
      return false;
    }
    if (work.hasMessages()) {
      work.takeMessages().forEach(message -> message.send(services, output.position()));
    }
    return true;
  }

  private boolean sealBatch(Execution execution) {
    try {
      long position = work.seal();
      bookmarks.turnEnded(position);
      if (position > Journal.START) {
        output.raiseToOwn(position, work.isConfirmed());
        execution.noteWrite();
      }
      work.clear();
      return true;
    } catch (RuntimeException | Error e) {
      if (e instanceof JournalFailedException failure) {
        services.journalFailed(failure);
      }
      reset("The object was reset because the writes of a turn could not be committed.", e);
      return false;
    }
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
    Reset first = new Reset(key, message, cause, output.position());
    synchronized (this) {
      if (reset != null) {
        return;
      }
      reset = first;
    }
    work.interrupt();
    // Shut first: nobody who wakes or queues is admitted any more.
    Dismissal dismissal = gate.shut();
    waiting.wakeAll();
    if (dismissal != null) {
      if (dismissal.isCleaner()) {
        cleanUp();
      }
      dismissal.tellEverybody();
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
    reset(message, null);
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

  /**
   * Ends the instance quietly if nothing goes on in it.
   *
   * @param idle asked while the turn is held; whether nothing else keeps the instance
   * @return whether it has ended
   */
  public boolean stopIfIdle(BooleanSupplier idle) {
    while (gate.tryEnter()) {
      boolean wasIdle = idle.getAsBoolean();
      if (wasIdle && suspendedCount == 0 && gate.shutIfNobodyWaits()) {
        cleanUp();
        return true;
      }
      leave();
      // Whoever makes it idle asks next, but is turned away by a gate that is held: by this very
      // question, for example. An execution that waits asks when it is over.
      if (wasIdle || !idle.getAsBoolean()) {
        return false;
      }
    }
    return false;
  }

  /** Interrupts every thread that runs or waits in the instance, or works outside of its turn. */
  public void interrupt() {
    waiting.interruptAll();
    Execution running = current;
    if (running != null) {
      running.interrupt();
    }
  }

  private void discard() {
    try {
      work.discard();
    } catch (RuntimeException | Error e) {
      services.warn("What a turn of " + key + " wrote could not be discarded.", e);
    }
  }

  /** Called by the one thread that is left with the shut gate. */
  private void cleanUp() {
    List<Outgoing> messages = work.takeMessages();
    try {
      work.discardAndRelease();
      bookmarks.turnEnded(Journal.START);
    } catch (RuntimeException | Error e) {
      services.warn("The store of " + key + " could not be released.", e);
    }
    end.terminated();
    // Last: it may run code of the application, which may call this object and wait for it.
    if (!messages.isEmpty()) {
      messages.forEach(message -> message.drop(dismissal()));
    }
  }

  long resetPosition() {
    Reset happened = reset;
    return happened == null ? Journal.START : happened.position();
  }

  /**
   * Returns what an execution in flight gets after a reset.
   *
   * @param execution who is told
   * @return a fresh exception
   */
  public InstanceResetException resetException(Execution execution) {
    return ending().toException(execution.wrote());
  }

  /** Returns what an event gets that will never run. */
  InstanceResetException dismissal() {
    return ending().dismissal();
  }

  private Reset ending() {
    Reset happened = reset;
    // Without a reset, an idle instance ended quietly: only a timer of a closing runtime can come
    // too late.
    return happened != null
        ? happened
        : new Reset(key, "The object was stopped.", null, Journal.START);
  }
}
