package dev.holdfast.runtime.internal.turn;

import dev.holdfast.HoldfastException;
import dev.holdfast.SqlException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.runtime.internal.gate.CallOrder;
import dev.holdfast.runtime.internal.gate.OutputGate;
import dev.holdfast.runtime.internal.outbox.TurnEvents;
import dev.holdfast.runtime.internal.report.FailureReason;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.statistics.ResetReason;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the turn of an instance reads, writes and sends: the store and its open store turn, the
 * messages that leave when the turn is sealed, and what all messages wait for.
 *
 * <p>Confined to the holder of the turn, except for {@link #interrupt}, the position of the output
 * gate and the order of calls. A storage that fails resets the instance.
 */
public final class TurnWork {

  private final Turn turn;
  private final EngineParts parts;
  private final ObjectKey key;
  private final Supplier<ObjectStore> storeOpener;
  private final OutputGate output;
  private final OpenTransactions transactions;
  private final Bookmarks bookmarks;

  private @Nullable ObjectStore store;
  private boolean confirmed;
  private @Nullable List<Outgoing> outbox;
  private @Nullable FiringAlarm firingAlarm;
  private Waits.@Nullable SyncWait lastSync;

  /** What the object has emitted since its last batch; null before the first event. */
  private @Nullable TurnEvents events;

  /** What is to run once the running turn is durable. */
  private @Nullable List<Runnable> actions;

  /** Written by the holder, and interrupted by any thread. */
  private volatile @Nullable StoreTurn storeTurn;

  /** Created under this; read without, as all of it is final. Null before the first such call. */
  private @Nullable CallOrder callOrder;

  TurnWork(Turn turn, Supplier<ObjectStore> storeOpener) {
    this.turn = turn;
    this.parts = turn.parts();
    this.key = turn.key();
    this.storeOpener = storeOpener;
    this.output = new OutputGate(parts.journal());
    this.transactions = new OpenTransactions(key);
    this.bookmarks = new Bookmarks(turn, this);
  }

  OutputGate output() {
    return output;
  }

  /** {@return the open transactions of the instance} */
  public OpenTransactions transactions() {
    return transactions;
  }

  Bookmarks bookmarks() {
    return bookmarks;
  }

  /** {@return a wait for durable writes that begins now, after all others of the object} */
  Waits.SyncWait beginSync() {
    lastSync = new Waits.SyncWait(lastSync);
    return lastSync;
  }

  /** Forgets a wait that is over, in the turn after it: an idle object keeps nothing of it. */
  void endSync(Waits.SyncWait sync) {
    if (lastSync == sync) {
      lastSync = null;
    }
  }

  // ---- The storage ------------------------------------------------------------------------

  /** Returns the store, and opens it if this is its first use. */
  ObjectStore store() {
    ObjectStore opened = store;
    if (opened == null) {
      opened = storeOpener.get();
      store = opened;
    }
    return opened;
  }

  /** Returns the store turn, and begins it if this is its first use. */
  StoreTurn storeTurn() {
    StoreTurn open = storeTurn;
    return open != null ? open : beginStoreTurn();
  }

  private StoreTurn beginStoreTurn() {
    turn.time();
    try {
      StoreTurn begun = store().beginTurn();
      storeTurn = begun;
      // A reset records its reason before it interrupts the store turn: either it finds this one,
      // or its reason is found here. Otherwise an endless statement would run on.
      if (turn.isReset()) {
        begun.interrupt();
      }
      return begun;
    } catch (RuntimeException | Error e) {
      turn.storageFailed(e);
      throw e;
    }
  }

  boolean mayHaveWritten() {
    StoreTurn open = storeTurn;
    return open != null && open.mayHaveWritten();
  }

  /** Reads into memory what running statements need after the end of the turn. */
  void keepCursors() {
    keep(StoreTurn::keepCursors);
  }

  /** Prepares a store turn that a transaction keeps open while the execution waits. */
  void keepOverWait() {
    keep(StoreTurn::keepOverWait);
  }

  /** A refused statement leaves the turn as it is; everything else resets the instance. */
  private void keep(Consumer<StoreTurn> what) {
    StoreTurn open = storeTurn;
    if (open == null) {
      return;
    }
    try {
      what.accept(open);
    } catch (SqlException e) {
      throw e;
    } catch (RuntimeException | Error e) {
      turn.storageFailed(e);
      throw turn.end().error();
    }
  }

  /** Makes a running statement fail soon. Called by any thread. */
  void interrupt() {
    StoreTurn open = storeTurn;
    if (open != null) {
      open.interrupt();
    }
  }

  /**
   * Records that messages must wait for what this turn writes. It may be there already, by an
   * unconfirmed write: then the turn has no batch, and messages wait for the batch that put it
   * there, which is the last one of the object or an earlier one.
   */
  public void confirmWrites() {
    confirmed = true;
    output.raiseTo(output.sealedPosition());
  }

  /**
   * Records that messages must wait for the batch of this turn, if it has one. For what may as well
   * be a read, which waits for no unconfirmed write.
   */
  public void confirmBatch() {
    confirmed = true;
  }

  /** {@return the alarm whose handler runs; null if none does} */
  public @Nullable FiringAlarm firingAlarm() {
    return firingAlarm;
  }

  /**
   * Records which alarm's handler runs.
   *
   * @param alarm the alarm; null when the handler has ended
   */
  public void setFiringAlarm(@Nullable FiringAlarm alarm) {
    firingAlarm = alarm;
  }

  /** Brings the object back first if that was asked for; the holder of the turn creates it then. */
  public void beginSession() {
    try {
      bookmarks.beginSession();
    } catch (RuntimeException | Error e) {
      recordJournalFailure(e);
      turn.storageFailed(e);
      throw e;
    }
  }

  // ---- The end of a turn ------------------------------------------------------------------

  /**
   * Makes what was written one batch, and sends the messages.
   *
   * @return false if the instance was reset, before or by a failure; then nothing was sent
   */
  boolean seal(Execution execution) {
    if (turn.end().isDue()) {
      // Here, and not by the thread that cleans up: the gate may not be shut yet, and the thread
      // that shuts it would discard the store turn without owning it.
      discard();
      return false;
    }
    try {
      if (!transactions.isExplicitOpen()) {
        sealBatch(execution);
      }
    } catch (RuntimeException | Error e) {
      turn.reset(
          ResetReason.STORAGE_FAILED,
          FailureReason.after(
              "The object was reset because the writes of a turn could not be committed",
              e,
              turn.key()),
          e);
      return false;
    }
    if (outbox != null) {
      if (!letMessagesLeave()) {
        return false;
      }
      sendMessages();
    }
    if (actions != null && !transactions.isExplicitOpen()) {
      if (!letMessagesLeave()) {
        return false;
      }
      startActions(execution);
    }
    return true;
  }

  /** Called before messages leave while what the turn wrote has no batch; false after a reset. */
  boolean letMessagesLeave() {
    try {
      bookmarks.messagesLeave();
      return true;
    } catch (RuntimeException | Error e) {
      recordJournalFailure(e);
      turn.reset(
          ResetReason.STORAGE_FAILED,
          "The object was reset because a bookmark could not be recorded.",
          e);
      return false;
    }
  }

  private void recordJournalFailure(Throwable failure) {
    if (failure instanceof JournalFailedException journalFailure) {
      parts.journalFailed(journalFailure);
    }
  }

  /** Makes what was written and emitted one batch; no transaction is open. */
  private void sealBatch(Execution execution) {
    StoreTurn sealing = storeTurn;
    ByteBuffer emitted = events == null || events.count() == 0 ? null : events.encode();
    if (sealing == null && emitted == null) {
      return;
    }
    try {
      long position = sealing == null ? Journal.START : sealBatch(sealing, emitted, execution);
      if (emitted != null) {
        if (position == Journal.START) {
          position = parts.outbox().append(key, emitted);
          output.raiseToOwn(position, /* confirmed= */ true);
          execution.recordWrite();
        }
        events = null;
        parts.outbox().emitted(position);
      }
      confirmed = false;
    } catch (RuntimeException | Error e) {
      recordJournalFailure(e);
      if (mayHaveAppended(e)) {
        // The journal may have the batch and make it durable: the caller must not learn that
        // nothing is written, and what the next instance reads depends on it.
        execution.recordWrite();
        output.raiseToOwn(parts.journal().lastPosition(), /* confirmed= */ true);
        if (emitted != null) {
          parts.outbox().emitted(parts.journal().lastPosition());
        }
      }
      throw e;
    }
  }

  private long sealBatch(StoreTurn sealing, @Nullable ByteBuffer emitted, Execution execution) {
    long position = sealing.seal(emitted);
    // Only now: a store turn that fails to seal is still there to be discarded.
    storeTurn = null;
    bookmarks.turnEnded(position);
    if (position > Journal.START) {
      output.raiseToOwn(position, confirmed);
      if (!confirmed) {
        parts.failure().recordUnconfirmed(position);
      }
      execution.recordWrite();
      turn.countBatch(sealing.sealedBytes());
    }
    return position;
  }

  /**
   * Whether a failure may have struck after the append. A refusal has a type that says so, except
   * for the failure of the journal: the append of a large batch waits.
   */
  private static boolean mayHaveAppended(Throwable failure) {
    return failure instanceof JournalFailedException || !(failure instanceof HoldfastException);
  }

  /**
   * Undoes what the turn has written, while no code of the application runs in it. The turn goes
   * on: its next use of the store begins again.
   */
  public void takeBack() {
    discardStoreTurn();
    confirmed = false;
  }

  /** Removes what the object has deleted from the files of the backend, between two turns of it. */
  public void eraseRemains() {
    store().eraseRemains();
  }

  /** Undoes what the turn has written. */
  private void discard() {
    dropEvents();
    try {
      discardStoreTurn();
    } catch (RuntimeException | Error e) {
      parts.warn("What a turn of " + key + " wrote could not be discarded.", e);
    }
  }

  private void discardStoreTurn() {
    StoreTurn open = storeTurn;
    storeTurn = null;
    if (open != null) {
      open.discard();
    }
  }

  private void dropEvents() {
    events = null;
    actions = null;
  }

  /** Discards the store turn and releases the store; the instance has ended. */
  void release() {
    dropEvents();
    try {
      discardStoreTurn();
    } finally {
      ObjectStore opened = store;
      store = null;
      if (opened != null) {
        opened.release();
      }
    }
    bookmarks.turnEnded(Journal.START);
  }

  // ---- Messages ---------------------------------------------------------------------------

  /**
   * Sends a message when the turn is sealed.
   *
   * @param message the message
   */
  public void send(Outgoing message) {
    if (outbox == null) {
      outbox = new ArrayList<>();
    }
    outbox.add(message);
  }

  /**
   * Emits an event with the batch of the turn.
   *
   * @param topic the topic
   * @param value the encoded event; not changed by the caller afterwards
   * @throws dev.holdfast.errors.StorageLimitException if the turn emits too much
   */
  public void emit(String topic, byte[] value) {
    TurnEvents emitted = events;
    if (emitted == null) {
      emitted = new TurnEvents(key);
      events = emitted;
    }
    emitted.add(topic, value);
    confirmBatch();
  }

  /** {@return how many events the object has emitted since its last batch} */
  public int eventCount() {
    return events == null ? 0 : events.count();
  }

  /**
   * Drops the latest events, because the transaction that emitted them is rolled back.
   *
   * @param count how many stay
   */
  public void cutEventsTo(int count) {
    if (events != null) {
      events.cutTo(count);
    }
  }

  /**
   * Runs an action once everything that the turn depends on is durable.
   *
   * @param action runs outside of the turn
   */
  public void afterDurable(Runnable action) {
    if (actions == null) {
      actions = new ArrayList<>();
    }
    actions.add(action);
  }

  /** Hands the actions of the turn, which is sealed, to the queue of the object. */
  private void startActions(Execution execution) {
    List<Runnable> due = actions == null ? List.of() : actions;
    actions = null;
    // The position of unconfirmed writes, too: an action is not to see what a crash undoes.
    long position = Math.max(output.position(), output.sealedPosition());
    for (Runnable action : due) {
      parts.outbox().afterDurable(key, position, action);
    }
    execution.recordActions();
  }

  /** Sends the messages of the turn, which is sealed. */
  private void sendMessages() {
    List<Outgoing> messages = takeMessages();
    int sent = 0;
    try {
      for (; sent < messages.size(); sent++) {
        messages.get(sent).send(parts, output.position());
      }
    } finally {
      if (sent < messages.size()) {
        // Back, for the end of the instance, which drops them.
        outbox = messages.subList(sent, messages.size());
      }
    }
  }

  /** Returns the messages that have not left; they leave no more. */
  List<Outgoing> takeMessages() {
    List<Outgoing> messages = outbox == null ? List.of() : outbox;
    outbox = null;
    return messages;
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
}
