package dev.holdfast.runtime.internal.turn;

import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.StoreTurn;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the current turn of an instance reads, writes and sends. Owned by the thread that holds the
 * turn, but for what says otherwise.
 */
final class TurnWork {

  private final Supplier<ObjectStore> storeOpener;
  private @Nullable ObjectStore store;
  private volatile @Nullable StoreTurn storeTurn;
  private boolean confirmed;
  private @Nullable List<Outgoing> outbox;

  /** Open savepoints of the store turn, from explicit transactions and synchronous ones. */
  private int savepointCount;

  /** Open explicit transactions: they outlive turns, so nothing is sealed before their end. */
  private int transactionCount;

  /** Open synchronous transactions: they belong to the turn, so the turn must not end. */
  private int syncTransactionCount;

  TurnWork(Supplier<ObjectStore> storeOpener) {
    this.storeOpener = storeOpener;
  }

  /** Returns the store turn, and begins it if this is the first use in the turn. */
  StoreTurn storeTurn() {
    StoreTurn open = storeTurn;
    if (open == null) {
      open = store().beginTurn();
      storeTurn = open;
    }
    return open;
  }

  /** Returns the store; opened if this is its first use. */
  ObjectStore store() {
    ObjectStore opened = store;
    if (opened == null) {
      opened = storeOpener.get();
      store = opened;
    }
    return opened;
  }

  /** {@return whether the turn may have written something so far} */
  boolean mayHaveWritten() {
    StoreTurn open = storeTurn;
    return open != null && open.mayHaveWritten();
  }

  /** Notes that messages must wait for the batch of this turn. */
  void confirm() {
    confirmed = true;
  }

  boolean isConfirmed() {
    return confirmed;
  }

  void add(Outgoing message) {
    if (outbox == null) {
      outbox = new ArrayList<>();
    }
    outbox.add(message);
  }

  /** Whether there is something to seal at the end of the turn. */
  boolean hasWritten() {
    return storeTurn != null && transactionCount == 0;
  }

  /** Notes a savepoint, and returns how many are open now. */
  int beginTransaction(boolean isSync) {
    if (isSync) {
      syncTransactionCount++;
    } else {
      transactionCount++;
    }
    return ++savepointCount;
  }

  void endTransaction(boolean isSync) {
    if (isSync) {
      syncTransactionCount--;
    } else {
      transactionCount--;
    }
    savepointCount--;
  }

  int savepointCount() {
    return savepointCount;
  }

  boolean isInTransaction() {
    return transactionCount > 0;
  }

  boolean isInSyncTransaction() {
    return syncTransactionCount > 0;
  }

  boolean hasMessages() {
    return outbox != null;
  }

  /** Takes what open cursors have left into memory, before a wait. */
  void keepCursors() {
    StoreTurn open = storeTurn;
    if (open != null) {
      open.keepCursors();
    }
  }

  /** Makes a running statement fail soon. Called by any thread. */
  void interrupt() {
    StoreTurn open = storeTurn;
    if (open != null) {
      open.interrupt();
    }
  }

  /** Makes what was written one batch, and returns its position. */
  long seal() {
    StoreTurn sealing = storeTurn;
    if (sealing == null) {
      throw new IllegalStateException("The turn has no store turn.");
    }
    long position = sealing.seal();
    // Only now: a store turn that fails to seal is still there to be discarded.
    storeTurn = null;
    return position;
  }

  /** Forgets how the writes of the turn that was sealed were meant. */
  void clear() {
    confirmed = false;
  }

  List<Outgoing> takeMessages() {
    List<Outgoing> messages = outbox == null ? List.of() : outbox;
    outbox = null;
    return messages;
  }

  /** Undoes what the turn has written and gives the store back. */
  void discardAndRelease() {
    StoreTurn open = storeTurn;
    storeTurn = null;
    if (open != null) {
      open.discard();
    }
    ObjectStore opened = store;
    store = null;
    if (opened != null) {
      opened.release();
    }
  }
}
