package dev.holdfast.backend.sqlite.database;

import dev.holdfast.backend.sqlite.binding.SqliteException;

/**
 * The transaction of a turn: begun by its first write, committed when it is sealed. Confined to the
 * thread that runs the turn.
 */
public final class TurnTransaction {

  // One name for all: SQLite uses the innermost savepoint of that name.
  private static final String OPEN_SAVEPOINT = "SAVEPOINT _cf_savepoint";
  private static final String RELEASE_SAVEPOINT = "RELEASE _cf_savepoint";
  private static final String ROLLBACK_TO_SAVEPOINT = "ROLLBACK TO _cf_savepoint";

  private final ObjectConnection connection;
  private boolean open;
  private boolean lost;
  private int savepointCount;

  /** Whether the transaction serves as the outermost savepoint, which began it. */
  private boolean begunBySavepoint;

  public TurnTransaction(ObjectConnection connection) {
    this.connection = connection;
  }

  public boolean isOpen() {
    return open;
  }

  /** {@return whether the transaction ended unexpectedly, so that only a revert helps} */
  public boolean isLost() {
    return lost;
  }

  /** {@return whether this call began it; false if it was already open} */
  public boolean begin() throws SqliteException {
    if (open) {
      return false;
    }
    connection.begin();
    open = true;
    return true;
  }

  public void commit() throws SqliteException {
    connection.commit();
    open = false;
    forgetSavepoints();
  }

  private void forgetSavepoints() {
    savepointCount = 0;
    begunBySavepoint = false;
  }

  /** {@return whether writes can only be undone one savepoint at a time} */
  boolean hasSavepoint() {
    return savepointCount > 0;
  }

  /** Opens a savepoint. If the transaction is not open, begins it: it is the savepoint then. */
  public void openSavepoint() throws SqliteException {
    if (begin()) {
      begunBySavepoint = true;
    } else {
      connection.run(OPEN_SAVEPOINT);
    }
    savepointCount++;
  }

  /** Ends the innermost savepoint and keeps what was written since. */
  public void releaseSavepoint() throws SqliteException {
    requireSavepoint();
    if (isTransaction()) {
      begunBySavepoint = false;
    } else {
      connection.run(RELEASE_SAVEPOINT);
    }
    savepointCount--;
  }

  /** Ends the innermost savepoint and undoes what was written since. */
  public void rollbackToSavepoint() throws SqliteException {
    requireSavepoint();
    connection.forgetTables();
    boolean wasLost = lost;
    // An error may already have rolled back the whole transaction; then this fails.
    lost = true;
    if (isTransaction()) {
      // Nothing is left: pages that were changed and changed back need no batch.
      connection.rollback();
      open = false;
      begunBySavepoint = false;
    } else {
      connection.run(ROLLBACK_TO_SAVEPOINT);
      connection.run(RELEASE_SAVEPOINT);
    }
    lost = wasLost;
    savepointCount--;
  }

  /** {@return whether the transaction is the innermost savepoint} */
  private boolean isTransaction() {
    return begunBySavepoint && savepointCount == 1;
  }

  /**
   * Ends the innermost savepoint after a failure, which is the one to report. If that is
   * impossible, the transaction is lost.
   *
   * @param undo whether to undo what was written since
   */
  public void endSavepoint(boolean undo) {
    try {
      if (undo) {
        rollbackToSavepoint();
      } else {
        releaseSavepoint();
      }
    } catch (SqliteException e) {
      lost = true;
    }
  }

  private void requireSavepoint() {
    if (savepointCount == 0) {
      throw new IllegalStateException("The turn has no open savepoint.");
    }
  }

  /** {@return whether all writes were undone; false if that is not certain} */
  public boolean rollback() {
    if (!open) {
      return true;
    }
    connection.forgetTables();
    try {
      connection.rollback();
      open = false;
      forgetSavepoints();
      return true;
    } catch (SqliteException e) {
      // An error has already rolled back, or the file cannot be read: a revert settles both.
      lost = true;
      return false;
    }
  }

  /** Records that what was written may already be gone. */
  public void lose() {
    lost = true;
  }
}
