package dev.holdfast.verify.sqlite;

import dev.holdfast.backend.sqlite.binding.SqliteBounds;
import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.database.AlarmTables;
import dev.holdfast.backend.sqlite.database.BoundedStatements;
import dev.holdfast.backend.sqlite.database.ConnectionLimits;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.sql.SqlLimits;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.List;

/**
 * What is in the database file of an object, as far as the catalog should agree.
 *
 * @param inconsistencies what SQLite finds wrong in the file; empty if nothing
 * @param hasData whether there are keys or tables
 * @param alarms all alarms
 */
record ObjectContent(List<String> inconsistencies, boolean hasData, List<AlarmRecord> alarms) {

  private static final int INCONSISTENCIES_MAX = 5;

  private static final String FINE = "ok";

  /** The longest that any limits allow. */
  private static final int VALUE_BYTES_MAX = 1 << 30;

  private static final String TABLES =
      "SELECT 1 FROM main.sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
          + " AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'";

  private static final String HAS_PAIRS_TABLE =
      "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = '_cf_KV'";

  /**
   * Reads a file that nothing changes.
   *
   * @throws SqliteException if it is too damaged to be read
   */
  static ObjectContent read(Path file) throws SqliteException {
    SqliteConnection connection = SqliteLibrary.openImmutable(file);
    try {
      ConnectionLimits.applyWidest(connection);
      List<String> found = inconsistencies(connection, file);
      boolean hasData =
          connection.hasRow(TABLES)
              || (connection.hasRow(HAS_PAIRS_TABLE)
                  && connection.hasRow("SELECT 1 FROM main._cf_KV LIMIT 1"));
      return new ObjectContent(
          found.equals(List.of(FINE)) ? List.of() : found,
          hasData,
          new AlarmTables(connection, () -> {}).read());
    } finally {
      close(connection, file);
    }
  }

  /** Evaluates expressions of the object, which may be of others: with bounds. */
  private static List<String> inconsistencies(SqliteConnection connection, Path file)
      throws SqliteException {
    BoundedStatements bounded =
        new BoundedStatements(
            connection,
            SqlLimits.DEFAULT
                .withValueBytesMax(VALUE_BYTES_MAX)
                .withStatementStepsMax(SqliteBounds.FILE_STEPS),
            connection.integer("PRAGMA main.page_count") * connection.integer("PRAGMA page_size"),
            () -> false,
            () -> 0);
    try {
      return bounded.texts("PRAGMA main.integrity_check(" + INCONSISTENCIES_MAX + ")");
    } catch (SqliteException e) {
      if (!bounded.hasStopped(e)) {
        throw e;
      }
      System.getLogger("dev.holdfast")
          .log(Level.WARNING, () -> "Not all of " + file + " was checked: " + bounded.bounded(e));
      return List.of(FINE);
    }
  }

  private static void close(SqliteConnection connection, Path file) {
    try {
      connection.closeWithoutCheckpoint();
    } catch (SqliteException e) {
      System.getLogger("dev.holdfast")
          .log(Level.DEBUG, () -> file + " was not closed cleanly after it was read", e);
    }
  }
}
