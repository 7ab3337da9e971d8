package dev.holdfast.backend.sqlite.binding;

import java.sql.SQLException;
import org.sqlite.Function;
import org.sqlite.core.DB;
import org.sqlite.jdbc4.JDBC4Connection;

/**
 * The functions {@code changes()} and {@code total_changes()} of a connection that serves one
 * database after the other: SQLite counts for the connection, and these for the database that it
 * has now. Confined to the holder of the connection.
 */
final class ChangeCounters {

  /** Accepted in views and triggers, as SQLite's own. */
  private static final int INNOCUOUS = 0x200000;

  private final DB database;

  /** The changes of the databases before. */
  private long before;

  private ChangeCounters(DB database) {
    this.database = database;
  }

  /** Replaces the functions of a connection. */
  static ChangeCounters replaceIn(JDBC4Connection connection, int encodings) throws SQLException {
    ChangeCounters counters = new ChangeCounters(connection.getDatabase());
    int flags = encodings | INNOCUOUS;
    Function.create(
        connection,
        "changes",
        new Function() {
          @Override
          protected void xFunc() throws SQLException {
            result(counters.changes());
          }
        },
        0,
        flags);
    Function.create(
        connection,
        "total_changes",
        new Function() {
          @Override
          protected void xFunc() throws SQLException {
            result(counters.totalChanges());
          }
        },
        0,
        flags);
    return counters;
  }

  /** Begins to count for another database. */
  void begin() throws SQLException {
    before = database.total_changes();
  }

  /**
   * {@return the rows that the last statement has changed}
   *
   * <p>As long as no row of this database was changed, SQLite's number may come from a statement
   * for the database before; and no statement of this one has changed any.
   */
  long changes() throws SQLException {
    return totalChanges() == 0 ? 0 : database.changes();
  }

  /** {@return the rows that were changed since {@link #begin}} */
  long totalChanges() throws SQLException {
    return database.total_changes() - before;
  }
}
