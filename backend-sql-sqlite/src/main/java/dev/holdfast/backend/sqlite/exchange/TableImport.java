package dev.holdfast.backend.sqlite.exchange;

import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.database.BoundedStatements;
import dev.holdfast.backend.sqlite.database.ConnectionLimits;
import dev.holdfast.backend.sqlite.database.DatabaseEraser;
import dev.holdfast.backend.sqlite.database.ObjectErrors;
import dev.holdfast.backend.sqlite.exchange.ImportedSchema.Entry;
import dev.holdfast.backend.sqlite.turn.SqliteTurn;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.spi.ObjectFileFormat.Terms;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Copies the tables of a file into the database of an object, within the turn's transaction, so
 * that the import is a batch like any other.
 *
 * <p>SQLite copies rows from the attached file, with their row ids. Virtual tables are not created
 * by their modules but entered into the schema, as in SQLite's own dumps: their content is in
 * ordinary tables, which are copied. Used once, by the thread that runs the turn.
 */
final class TableImport {

  private static final String ENTER_VIRTUAL =
      "INSERT INTO main.sqlite_schema (type, name, tbl_name, rootpage, sql)"
          + " VALUES ('table', ?1, ?1, 0, ?2)";

  private final SqliteTurn turn;
  private final SqliteConnection connection;
  private final Path file;
  private final ImportedSchema schema;
  private final Terms terms;
  private final long fileBytes;

  TableImport(SqliteTurn turn, Path file, long fileBytes, ImportedSchema schema, Terms terms) {
    this.turn = turn;
    this.connection = turn.database().connection().connection();
    this.file = file;
    this.schema = schema;
    this.fileBytes = fileBytes;
    this.terms = terms;
  }

  /**
   * Runs the import, and tries the migrations that the tables of the file have not run: a migration
   * that does not fit them would fail every later call of the object, whose earlier state would be
   * gone. They run permanently when the object is next used, because foreign keys are off here.
   *
   * @throws dev.holdfast.SqlException if a migration fails, or the file has run others; nothing has
   *     changed
   * @throws SqliteException if the database refuses the content of the file; nothing has changed
   */
  void run() throws SqliteException {
    turn.attach(file);
    // The file was checked as a whole; the switch cannot change within a transaction.
    turn.suspendForeignKeys();
    turn.openSavepoint();
    boolean done = false;
    boolean lost = false;
    try {
      turn.deleteAll();
      fill();
      turn.database().connection().forgetTables();
      if (!terms.migrations().steps().isEmpty()) {
        turn.checkMigrations(terms.migrations());
      }
      done = true;
    } catch (StorageFailedException e) {
      lost = true;
      throw e;
    } finally {
      if (done) {
        turn.releaseSavepoint();
      } else if (!lost) {
        turn.rollbackToSavepoint();
      }
    }
  }

  /** Evaluates the checks, stored columns and indexes of the file: with bounds. */
  private void fill() throws SqliteException {
    BoundedStatements bounded =
        turn.database()
            .connection()
            .bounded(turn.limits(), fileBytes, terms.interrupted(), turn::monotonicNanos);
    try {
      makeTables();
      copyRows(bounded);
      makeTheRest(bounded);
    } catch (SqliteException e) {
      String why = bounded.bounded(e);
      SqliteException failure =
          why == null ? e : new SqliteException(e.resultCode(), e.codeName(), why, e);
      if (ObjectErrors.isInterrupt(e)) {
        // SQLite has rolled back the whole transaction.
        throw turn.lost("Importing a file", failure);
      }
      throw failure;
    } finally {
      turn.database().connection().unbounded();
    }
  }

  private void makeTables() throws SqliteException {
    connection.execute("DROP TABLE IF EXISTS main." + DatabaseEraser.MIGRATIONS);
    for (Entry entry : schema.entries()) {
      if (entry.isCopied()) {
        connection.execute(entry.sql());
      }
    }
  }

  private void copyRows(BoundedStatements bounded) throws SqliteException {
    // The row id is selected in addition to the columns.
    ConnectionLimits.lift(connection);
    try {
      for (Entry entry : schema.entries()) {
        if (entry.isCopied()) {
          copyRows(bounded, entry.name());
        }
      }
    } finally {
      turn.database().connection().limitAgain();
    }
    if (schema.hasPairs()) {
      turn.database().connection().keyValues().make();
      connection.execute(
          "INSERT INTO main._cf_KV (key, value) SELECT key, value FROM imported._cf_KV");
    }
    if (schema.hasSequence()) {
      connection.execute("DELETE FROM main.sqlite_sequence");
      connection.execute(
          "INSERT INTO main.sqlite_sequence (name, seq)"
              + " SELECT name, seq FROM imported.sqlite_sequence");
    }
  }

  private void copyRows(BoundedStatements bounded, String table) throws SqliteException {
    List<String> columns = storedColumns(table);
    String rowId = rowIdName(table, columns);
    List<String> copied = new ArrayList<>();
    if (!rowId.isEmpty()) {
      copied.add(rowId);
    }
    columns.forEach(column -> copied.add(quoted(column)));
    String list = String.join(", ", copied);
    bounded.run(
        "INSERT INTO main."
            + quoted(table)
            + " ("
            + list
            + ") SELECT "
            + list
            + " FROM imported."
            + quoted(table));
  }

  /** The columns that are not computed from others. */
  private List<String> storedColumns(String table) throws SqliteException {
    return connection.texts(
        "SELECT name FROM pragma_table_xinfo(?, 'imported') WHERE hidden = 0", table);
  }

  /** A name that refers to the row id; empty if the table has none. */
  private String rowIdName(String table, List<String> columns) throws SqliteException {
    Long isWithoutRowId =
        connection.first(
            "SELECT wr FROM pragma_table_list WHERE schema = 'imported' AND name = ?",
            row -> row.integer(0),
            table);
    if (isWithoutRowId == null || isWithoutRowId != 0) {
      return "";
    }
    List<String> taken = columns.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
    for (String name : List.of("rowid", "_rowid_", "oid")) {
      if (!taken.contains(name)) {
        return name;
      }
    }
    return "";
  }

  private void makeTheRest(BoundedStatements bounded) throws SqliteException {
    boolean hasVirtual = false;
    for (Entry entry : schema.entries()) {
      hasVirtual |= entry.isVirtual();
    }
    if (hasVirtual) {
      enterVirtualTables();
    }
    for (String type : List.of("index", "view", "trigger")) {
      for (Entry entry : schema.entries()) {
        if (entry.type().equals(type)) {
          bounded.run(entry.sql());
        }
      }
    }
  }

  private void enterVirtualTables() throws SqliteException {
    connection.execute("PRAGMA writable_schema=ON");
    try {
      for (Entry entry : schema.entries()) {
        if (entry.isVirtual()) {
          connection.run(ENTER_VIRTUAL, entry.name(), entry.sql());
        }
      }
    } finally {
      // Also makes the connection reread the schema, and find the virtual tables in it.
      connection.execute("PRAGMA writable_schema=RESET");
    }
  }

  private static String quoted(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }
}
