package dev.holdfast.backend.sqlite;

import dev.holdfast.backend.sqlite.binding.SqliteException;

/**
 * The transaction of a turn: begun by its first write, committed when it is sealed. Owned by the
 * thread that runs the turn.
 */
final class TurnTransaction {

  private final ObjectConnection connection;
  private boolean open;
  private boolean lost;

  TurnTransaction(ObjectConnection connection) {
    this.connection = connection;
  }

  boolean isOpen() {
    return open;
  }

  /** {@return whether the transaction ended behind our back, so that only a revert helps} */
  boolean isLost() {
    return lost;
  }

  /** {@return whether it was begun now; false if it was open before} */
  boolean begin() throws SqliteException {
    if (open) {
      return false;
    }
    connection.begin();
    open = true;
    return true;
  }

  void commit() throws SqliteException {
    connection.commit();
    open = false;
  }

  /** {@return whether nothing is left of what was written; false if that is not certain} */
  boolean rollback() {
    if (!open) {
      return true;
    }
    connection.keyValues().forget();
    try {
      connection.rollback();
      open = false;
      return true;
    } catch (SqliteException e) {
      // An error has rolled back before, or the file cannot be read: a revert settles both.
      lost = true;
      return false;
    }
  }

  /** Notes that what was written may be gone already. */
  void lose() {
    lost = true;
  }
}
