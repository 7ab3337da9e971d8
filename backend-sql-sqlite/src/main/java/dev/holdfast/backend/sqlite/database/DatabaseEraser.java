package dev.holdfast.backend.sqlite.database;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import java.util.ArrayList;
import java.util.List;

/**
 * Deletes everything in a database, within the transaction of the turn: atomic with later writes of
 * the turn, and undone with it. The pages go to the free list unchanged, so that deleting even a
 * large database is a small batch.
 *
 * <p>Confined to the thread that runs the turn.
 */
public final class DatabaseEraser {

  /** The hidden table of the migrations that have run; emptied with the object. */
  public static final String MIGRATIONS = "_cf_MIGRATION";

  private static final String NOT_OURS =
      " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'";

  private final ObjectConnection connection;
  private final TurnTransaction transaction;

  public DatabaseEraser(ObjectConnection connection, TurnTransaction transaction) {
    this.connection = connection;
    this.transaction = transaction;
  }

  /** {@return whether the object has neither keys nor tables} */
  public static boolean isErased(ObjectConnection connection) throws SqliteException {
    return connection.keyValues().isEmpty() && names(connection, "1").isEmpty();
  }

  /** {@return whether the object has neither keys nor tables nor alarms} */
  public static boolean isVacant(ObjectConnection connection) throws SqliteException {
    return isErased(connection) && connection.alarms().read().isEmpty();
  }

  public void erase() throws SqliteException {
    if (isEmpty()) {
      return;
    }
    // Earlier writes of the turn are deleted as well; after a rollback they need no deletion. With
    // an open savepoint they may still be needed.
    if (!transaction.hasSavepoint() && !transaction.rollback()) {
      throw new SqliteException(10, "SQLITE_IOERR", "the transaction cannot be rolled back", null);
    }
    transaction.begin();
    // Tables that refer to each other are dropped one by one.
    connection.connection().execute("PRAGMA defer_foreign_keys=ON");
    drop("TRIGGER", "type = 'trigger'");
    drop("VIEW", "type = 'view'");
    drop("TABLE", "type = 'table' AND sql LIKE 'CREATE VIRTUAL %'");
    dropTables();
    connection.connection().execute("PRAGMA defer_foreign_keys=OFF");
    dropTablesOfSqlite();
    connection.forgetTables();
    connection.keyValues().deleteAll();
    if (hasMigrations()) {
      // The tables that the migrations made are gone: the migrations must run again.
      connection.run("DELETE FROM main." + MIGRATIONS);
    }
  }

  private boolean hasMigrations() throws SqliteException {
    return connection
        .connection()
        .hasRow("SELECT 1 FROM main.sqlite_schema WHERE name = ?", MIGRATIONS);
  }

  private boolean isEmpty() throws SqliteException {
    return names("1").isEmpty()
        && !connection.keyValues().exists()
        && !hasMigrations()
        && select(connection, "name LIKE 'sqlite\\_%' ESCAPE '\\'").isEmpty();
  }

  private void drop(String what, String where) throws SqliteException {
    for (String name : names(where)) {
      connection.connection().execute("DROP " + what + " IF EXISTS main." + quoted(name));
    }
  }

  /**
   * Drops tables until none is left. A table with a malformed foreign key can prevent the table it
   * refers to from being dropped; the next round finds it gone.
   */
  private void dropTables() throws SqliteException {
    List<String> left = names("type = 'table'");
    while (!left.isEmpty()) {
      SqliteException stopped = null;
      List<String> stillThere = new ArrayList<>();
      for (String name : left) {
        try {
          connection.connection().execute("DROP TABLE IF EXISTS main." + quoted(name));
        } catch (SqliteException e) {
          if (ObjectErrors.isCritical(e)) {
            throw e;
          }
          stillThere.add(name);
          stopped = e;
        }
      }
      if (stopped != null && stillThere.size() == left.size()) {
        throw stopped;
      }
      left = stillThere;
    }
  }

  /** Statistics and the numbers of AUTOINCREMENT: a new database has no tables for them. */
  private void dropTablesOfSqlite() throws SqliteException {
    for (String name : select(connection, "name LIKE 'sqlite\\_stat_' ESCAPE '\\'")) {
      connection.connection().execute("DROP TABLE main." + quoted(name));
    }
    if (!select(connection, "name = 'sqlite_sequence'").isEmpty()) {
      dropSequence();
    }
  }

  /** SQLite refuses to drop this table under its own name. */
  private void dropSequence() throws SqliteException {
    connection.connection().execute("PRAGMA writable_schema=ON");
    try {
      connection
          .connection()
          .execute(
              "UPDATE main.sqlite_schema SET name = '_cf_sequence', tbl_name = '_cf_sequence',"
                  + " sql = 'CREATE TABLE _cf_sequence(name,seq)' WHERE name = 'sqlite_sequence'");
    } finally {
      connection.connection().execute("PRAGMA writable_schema=RESET");
    }
    connection.connection().execute("DROP TABLE main._cf_sequence");
  }

  private List<String> names(String where) throws SqliteException {
    return names(connection, where);
  }

  private static List<String> names(ObjectConnection connection, String where)
      throws SqliteException {
    return select(connection, where + NOT_OURS);
  }

  private static List<String> select(ObjectConnection connection, String where)
      throws SqliteException {
    return connection.connection().texts("SELECT name FROM main.sqlite_schema WHERE " + where);
  }

  private static String quoted(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }
}
