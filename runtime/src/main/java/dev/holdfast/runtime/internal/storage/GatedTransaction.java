package dev.holdfast.runtime.internal.storage;

import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.runtime.internal.cache.ObjectCache;
import dev.holdfast.runtime.internal.turn.FiringAlarm;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.storage.StorageTransaction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One transaction: a savepoint of the store turn. Transactions of an object end in the reverse of
 * the order in which they begin, because each runs in a critical section or within one turn.
 *
 * <p>Confined to the object's turn.
 */
final class GatedTransaction extends GatedKeyValues implements StorageTransaction {

  private enum State {
    RUNNING,
    COMMITTED,
    ROLLED_BACK
  }

  private final boolean isSync;

  /**
   * The alarm whose handler was running when the transaction began, and whether its removal was
   * pending.
   */
  private final @Nullable FiringAlarm firing;

  private final boolean wasDeferred;

  /** How many events were emitted before the transaction began. */
  private int eventCount;

  private State state = State.RUNNING;

  /** The depth of this savepoint: the number of open savepoints while it is the innermost. */
  private int depth;

  GatedTransaction(ObjectAlarms alarms, ObjectCache cache, StructuredClone clone, boolean isSync) {
    super(alarms, cache, clone);
    this.firing = alarms.turns().work().firingAlarm();
    this.wasDeferred = firing != null && firing.isDeferred();
    this.isSync = isSync;
  }

  /** Begins the transaction, runs its code and ends it. */
  <T extends @Nullable Object, X extends Exception> T run(Closure<T, X> closure) throws X {
    change(StoreTurn::openSavepoint);
    eventCount = turns().work().eventCount();
    depth = turns().work().transactions().begin(isSync);
    T result;
    try {
      result = closure.run(this);
    } catch (Throwable e) {
      rollbackAfter(e);
      throw e;
    }
    // Ends code that swallowed the exception of a reset.
    turns().check();
    if (state == State.RUNNING) {
      finish(StoreTurn::releaseSavepoint);
      end(State.COMMITTED);
    }
    return result;
  }

  private void rollbackAfter(Throwable failure) {
    if (state != State.RUNNING) {
      return;
    }
    if (turns().isReset()) {
      // The store turn is discarded as a whole.
      state = State.ROLLED_BACK;
      return;
    }
    try {
      // Memory may have run out in a wait: then another thread has the turn.
      turns().check();
      undo();
    } catch (RuntimeException | Error e) {
      // Resets the instance; its callers receive this failure.
      e.addSuppressed(failure);
      throw e;
    }
  }

  @Override
  public void rollback() {
    turns().check();
    if (state == State.ROLLED_BACK) {
      return;
    }
    requireRunning("rollback");
    if (turns().work().transactions().count() > depth) {
      throw refusal(
          MisuseException.Reason.INSIDE_TRANSACTION,
          "Cannot roll back an outer transaction while a nested transaction is still running.");
    }
    turns().enterEngine();
    undo();
  }

  private void undo() {
    finish(StoreTurn::rollbackToSavepoint);
    // The cache does not record which values were written since the savepoint.
    cache().dropAll();
    turns().work().cutEventsTo(eventCount);
    end(State.ROLLED_BACK);
  }

  @Override
  void admit(String operation) {
    turns().check();
    requireRunning(operation);
  }

  private void requireRunning(String operation) {
    switch (state) {
      case RUNNING -> {}
      case ROLLED_BACK ->
          throw refusal(
              MisuseException.Reason.TRANSACTION_ENDED,
              "Cannot " + operation + "() on rolled back transaction");
      case COMMITTED ->
          throw refusal(
              MisuseException.Reason.TRANSACTION_ENDED,
              "Cannot call "
                  + operation
                  + "() on transaction that has already committed: did you move `txn` outside of"
                  + " the closure?");
    }
  }

  private void change(Consumer<StoreTurn> change) {
    onStore(
        turn -> {
          change.accept(turn);
          return Boolean.TRUE;
        });
  }

  /**
   * Ends the savepoint, without a door: its beginning has proven the stack for this. A proof that
   * failed here would leave the transaction open, with code that may catch the error.
   */
  private void finish(Consumer<StoreTurn> change) {
    StoreTurn turn = turns().provenStoreTurn();
    try {
      change.accept(turn);
    } catch (RuntimeException | Error e) {
      turns().storageFailed(e);
      throw e;
    }
  }

  private void end(State ended) {
    if (ended == State.ROLLED_BACK && firing != null) {
      firing.restore(wasDeferred);
    }
    turns().work().transactions().end(isSync);
    state = ended;
  }

  private MisuseException refusal(MisuseException.Reason reason, String message) {
    return new MisuseException(object().namespace(), object().id(), reason, message);
  }
}
