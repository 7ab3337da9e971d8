package dev.holdfast.backend.sqlite.exchange;

import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import dev.holdfast.backend.sqlite.database.AlarmTables;
import dev.holdfast.backend.sqlite.database.KeyValueTable;
import dev.holdfast.backend.sqlite.turn.SqliteTurn;
import dev.holdfast.spi.KeyRange;
import dev.holdfast.spi.StoreScan;
import dev.holdfast.spi.StoreTurn;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Writes the state that a turn sees into an empty file. Used once, by one thread. */
public final class ObjectExport {

  /** The file is of use only when it is complete, and is synced then. */
  private static final String NO_SYNC =
      "PRAGMA locking_mode=EXCLUSIVE; PRAGMA synchronous=OFF; PRAGMA journal_mode=MEMORY;";

  private static final String TABLES = "SELECT 1 FROM sqlite_schema WHERE type = 'table'";

  /**
   * For an object that has nothing: SQLite takes an empty file for a database without tables, too.
   * The file of any other object is as the reference has it.
   */
  private static final String MARK = "PRAGMA application_id=" + DatabaseHeader.EXPORT;

  private final SqliteLibrary library;
  private final Path file;

  public ObjectExport(SqliteLibrary library, Path file) {
    this.library = library;
    this.file = file;
  }

  public void write(StoreTurn turn) throws SqliteException {
    if (turn instanceof SqliteTurn sqlite) {
      sqlite.database().connection().connection().backupTo(file);
      leaveLogMode();
    } else {
      writePairs(turn);
    }
  }

  /** A file in log mode cannot be opened where its directory cannot be written. */
  private void leaveLogMode() throws SqliteException {
    SqliteConnection connection = library.open(file);
    try {
      connection.execute("PRAGMA locking_mode=EXCLUSIVE");
      connection.execute("PRAGMA journal_mode=DELETE");
      if (!hasTables(connection)) {
        connection.execute(MARK);
      }
    } catch (SqliteException | RuntimeException | Error e) {
      closeAfter(connection, e);
      throw e;
    }
    connection.close();
  }

  private static boolean hasTables(SqliteConnection connection) throws SqliteException {
    try (SqliteStatement tables = connection.prepare(TABLES)) {
      return tables.start();
    }
  }

  private void writePairs(StoreTurn turn) throws SqliteException {
    SqliteConnection connection = library.open(file);
    try {
      connection.execute(NO_SYNC);
      connection.execute("BEGIN");
      connection.execute(KeyValueTable.CREATE);
      copyPairs(turn, connection);
      new AlarmTables(connection, () -> {}).write(turn.alarms());
      connection.execute("COMMIT");
    } catch (SqliteException | RuntimeException | Error e) {
      closeAfter(connection, e);
      throw e;
    }
    connection.close();
  }

  private static void copyPairs(StoreTurn turn, SqliteConnection connection)
      throws SqliteException {
    KeyRange all = new KeyRange(null, null, /* reverse= */ false, Integer.MAX_VALUE);
    try (SqliteStatement insert = connection.prepare(KeyValueTable.PUT);
        StoreScan scan = turn.scan(all)) {
      while (scan.next()) {
        insert.start(scan.key(), scan.value());
      }
    }
  }

  /** Closes a connection after a failure; that failure is the one to report. */
  static void closeAfter(@Nullable SqliteConnection connection, Throwable failure) {
    if (connection == null) {
      return;
    }
    try {
      connection.close();
    } catch (SqliteException e) {
      failure.addSuppressed(e);
    }
  }
}
