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

  /** Whether the outermost savepoint was the first operation in the transaction. */
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

  /** Opens a savepoint, and the transaction around it if it is not open yet. */
  public void openSavepoint() throws SqliteException {
    boolean begun = begin();
    connection.run(OPEN_SAVEPOINT);
    savepointCount++;
    begunBySavepoint |= begun;
  }

  /** Ends the innermost savepoint and keeps what was written since. */
  public void releaseSavepoint() throws SqliteException {
    requireSavepoint();
    connection.run(RELEASE_SAVEPOINT);
    savepointCount--;
    begunBySavepoint &= savepointCount > 0;
  }

  /** Ends the innermost savepoint and undoes what was written since. */
  public void rollbackToSavepoint() throws SqliteException {
    requireSavepoint();
    if (savepointCount == 1 && begunBySavepoint && rollback()) {
      // Nothing is left: pages that were changed and changed back need no batch.
      return;
    }
    connection.forgetTables();
    // An error may already have rolled back the whole transaction; then there is no savepoint.
    lost = true;
    connection.run(ROLLBACK_TO_SAVEPOINT);
    connection.run(RELEASE_SAVEPOINT);
    lost = false;
    savepointCount--;
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
