package dev.holdfast.runtime.internal.turn;

import dev.holdfast.runtime.internal.gate.Headroom;
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
  private final OpenTransactions transactions;
  private @Nullable ObjectStore store;
  private volatile @Nullable StoreTurn storeTurn;
  private boolean confirmed;
  private @Nullable List<Outgoing> outbox;

  TurnWork(Supplier<ObjectStore> storeOpener, OpenTransactions transactions) {
    this.storeOpener = storeOpener;
    this.transactions = transactions;
  }

  OpenTransactions transactions() {
    return transactions;
  }

  /** Returns the store turn, and begins it if this is the first use in the turn. */
  StoreTurn storeTurn() {
    StoreTurn open = storeTurn;
    if (open == null) {
      Headroom.require();
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
    return storeTurn != null && !transactions.isExplicitOpen();
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

  /** Tells a store turn that is still open, though the turn is sealed: a transaction keeps it. */
  void keepOverWait() {
    StoreTurn open = storeTurn;
    if (open != null) {
      Headroom.require();
      open.keepOverWait();
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

  /** Undoes what the turn has written. */
  void discard() {
    StoreTurn open = storeTurn;
    storeTurn = null;
    if (open != null) {
      open.discard();
    }
  }

  /** Undoes what the turn has written and gives the store back. */
  void discardAndRelease() {
    discard();
    ObjectStore opened = store;
    store = null;
    if (opened != null) {
      opened.release();
    }
  }
}
