package dev.holdfast.backend.sqlite.database;

import dev.holdfast.backend.sqlite.binding.SqliteException;

/**
 * The transaction of a turn: begun by its first write, committed when it is sealed. Owned by the
 * thread that runs the turn.
 */
public final class TurnTransaction {

  // One name for all: SQLite takes the innermost of that name.
  private static final String OPEN_SAVEPOINT = "SAVEPOINT _cf_savepoint";
  private static final String RELEASE_SAVEPOINT = "RELEASE _cf_savepoint";
  private static final String ROLLBACK_TO_SAVEPOINT = "ROLLBACK TO _cf_savepoint";

  private final ObjectConnection connection;
  private boolean open;
  private boolean lost;
  private int savepointCount;

  /** Whether the outermost savepoint was the first thing in the transaction. */
  private boolean begunBySavepoint;

  public TurnTransaction(ObjectConnection connection) {
    this.connection = connection;
  }

  public boolean isOpen() {
    return open;
  }

  /** {@return whether the transaction ended behind our back, so that only a revert helps} */
  public boolean isLost() {
    return lost;
  }

  /** {@return whether it was begun now; false if it was open before} */
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

  /** {@return whether what was written can only be taken back step by step} */
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
      // Nothing is left: pages that only went back and forth are no batch.
      return;
    }
    connection.forgetTables();
    // An error may have rolled the whole transaction back before; then there is no savepoint.
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

  /** {@return whether nothing is left of what was written; false if that is not certain} */
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
      // An error has rolled back before, or the file cannot be read: a revert settles both.
      lost = true;
      return false;
    }
  }

  /** Notes that what was written may be gone already. */
  public void lose() {
    lost = true;
  }
}
