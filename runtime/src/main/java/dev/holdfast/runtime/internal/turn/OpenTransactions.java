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

  /** Whether code of a migration runs: it is a step of the store turn, so the turn must not end. */
  private boolean migrating;

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

  /** Records that code of a migration begins to run. */
  public void beginMigration() {
    migrating = true;
  }

  /** Records that the code of a migration has ended. */
  public void endMigration() {
    migrating = false;
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
   * Refuses what would end the turn inside of a synchronous transaction or a migration.
   *
   * @throws MisuseException if one is open
   */
  void refuseWait() {
    if (migrating) {
      throw new MisuseException(
          key.namespace(),
          key.id(),
          MisuseException.Reason.INSIDE_TRANSACTION,
          "A migration must not wait, and so call no object: the turn, and with it the step, would"
              + " end. Do that in a method of the object.");
    }
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
