package dev.holdfast.backend.sqlite.turn;

import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.database.ConnectionLimits;
import dev.holdfast.backend.sqlite.database.ObjectConnection;
import java.nio.file.Path;

/**
 * What a turn has changed on its connection and undoes at its end: an attached file, and suspended
 * foreign keys. Confined to the thread that runs the turn.
 */
final class ConnectionChanges {

  private final ObjectConnection connection;
  private boolean attached;
  private boolean keysSuspended;

  ConnectionChanges(ObjectConnection connection) {
    this.connection = connection;
  }

  /**
   * Attaches a file under the name {@code imported}; it stays attached if its schema is refused.
   */
  void attach(Path file) throws SqliteException {
    SqliteConnection own = connection.connection();
    ConnectionLimits.lift(own);
    try {
      own.execute("ATTACH '" + file.toString().replace("'", "''") + "' AS imported");
      attached = true;
    } finally {
      connection.limitAgain();
    }
    // Makes SQLite read its schema under the limits: once attached, every statement would fail.
    own.execute("SELECT 1 FROM imported.sqlite_schema");
  }

  /**
   * {@return whether no file is attached any more; if one is, only closing the connection helps}
   */
  boolean detach() {
    if (!attached) {
      return true;
    }
    attached = false;
    try {
      // A file over the limits could not even be named under them.
      ConnectionLimits.lift(connection.connection());
      connection.connection().execute("DETACH imported");
      connection.limitAgain();
      return true;
    } catch (SqliteException e) {
      return false;
    }
  }

  void suspendForeignKeys() throws SqliteException {
    keysSuspended = true;
    connection.switches().suspendForeignKeys();
  }

  /** {@return whether they are as before; if not, only another connection helps} */
  boolean resumeForeignKeys() {
    if (!keysSuspended) {
      return true;
    }
    keysSuspended = false;
    try {
      connection.switches().resumeForeignKeys();
      return true;
    } catch (SqliteException e) {
      return false;
    }
  }
}
