package dev.holdfast.runtime.internal.turn;

import dev.holdfast.errors.MisuseException;
import dev.holdfast.spi.ObjectKey;

/**
 * Counts the open transactions of an instance, which are savepoints of its store turn. Confined to
 * the thread that holds the turn.
 */
public final class OpenTransactions {

  private final ObjectKey key;

  /** Open explicit transactions: they outlive turns, so nothing is sealed before their end. */
  private int explicitCount;

  /** Open synchronous transactions: they belong to the turn, so the turn must not end. */
  private int syncCount;

  OpenTransactions(ObjectKey key) {
    this.key = key;
  }

  /**
   * Records that a savepoint of the store turn was opened.
   *
   * @param isSync whether it belongs to the current turn, which then must not end; else it is kept
   *     open, and nothing is sealed, until it ends
   * @return how many savepoints are open now
   */
  public int begin(boolean isSync) {
    if (isSync) {
      syncCount++;
    } else {
      explicitCount++;
    }
    return count();
  }

  /**
   * Records that the innermost savepoint has ended.
   *
   * @param isSync as given when it began
   */
  public void end(boolean isSync) {
    if (isSync) {
      syncCount--;
    } else {
      explicitCount--;
    }
  }

  /** {@return how many savepoints are open} */
  public int count() {
    return explicitCount + syncCount;
  }

  /** {@return whether an explicit transaction is open} */
  public boolean isExplicitOpen() {
    return explicitCount > 0;
  }

  /** {@return whether a synchronous transaction is open, so that the turn must not end} */
  public boolean isSyncOpen() {
    return syncCount > 0;
  }

  /**
   * Refuses what would end the turn inside of a synchronous transaction.
   *
   * @throws MisuseException if one is open
   */
  void refuseWait() {
    if (syncCount > 0) {
      throw new MisuseException(
          key.namespace(),
          key.id(),
          MisuseException.Reason.INSIDE_TRANSACTION,
          "transactionSync() must not wait: the turn, and with it the transaction, would end. Use"
              + " transaction().");
    }
  }
}
