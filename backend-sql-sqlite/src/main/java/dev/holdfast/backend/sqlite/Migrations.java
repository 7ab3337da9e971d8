package dev.holdfast.backend.sqlite;

import dev.holdfast.SqlException;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import dev.holdfast.backend.sqlite.sql.SqlRefusedException;
import dev.holdfast.sql.SqlMigration;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Brings the tables of an object to where its namespace wants them, and notes in a hidden table
 * what was run. Each step runs within a savepoint, with its note.
 *
 * <p>Owned by the thread that runs the turn.
 */
final class Migrations {

  static final String TABLE = "_cf_MIGRATION";

  private static final String EXISTS =
      "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = '_cf_MIGRATION'";
  static final String CREATE =
      "CREATE TABLE main._cf_MIGRATION (step INTEGER PRIMARY KEY, name TEXT NOT NULL,"
          + " checksum INTEGER NOT NULL)";
  private static final String SELECT =
      "SELECT name, checksum FROM main._cf_MIGRATION ORDER BY step";
  private static final String INSERT = "INSERT INTO main._cf_MIGRATION VALUES (?, ?, ?)";

  private static final Object[] NONE = {};

  private final SqliteTurn turn;
  private final TurnTransaction transaction;
  private final SqlExecution execution;
  private final ObjectConnection connection;

  Migrations(SqliteTurn turn, TurnTransaction transaction, SqlExecution execution) {
    this.turn = turn;
    this.transaction = transaction;
    this.execution = execution;
    this.connection = turn.database().connection();
  }

  /** A step that was run, as it was noted. */
  private record Note(String name, long checksum) {}

  void run(List<SqlMigration> migrations) throws SqliteException {
    boolean exists = exists();
    List<Note> notes = exists ? notes() : List.of();
    check(notes, migrations);
    if (notes.size() == migrations.size()) {
      return;
    }
    transaction.begin();
    if (!exists) {
      connection.run(CREATE);
      connection.forgetTables();
    }
    for (int step = notes.size(); step < migrations.size(); step++) {
      run(step + 1, migrations.get(step));
    }
  }

  private void run(int step, SqlMigration migration) throws SqliteException {
    transaction.openSavepoint();
    boolean done = false;
    try {
      execution.run(migration.sql(), NONE).close();
      note(step, migration);
      done = true;
    } catch (SqlException | SqlRefusedException e) {
      throw failed(step, migration, e);
    } catch (SqliteException e) {
      RuntimeException failure = turn.failed(title(step, migration), e);
      throw failure instanceof SqlException ? failed(step, migration, failure) : failure;
    } finally {
      if (done) {
        transaction.releaseSavepoint();
      }
      // Otherwise the caller discards the whole turn.
    }
  }

  private SqlException failed(int step, SqlMigration migration, RuntimeException e) {
    return turn.database()
        .errors()
        .sql(title(step, migration) + " failed, and nothing was changed: " + e.getMessage(), e);
  }

  private static String title(int step, SqlMigration migration) {
    return "Migration " + step + " \"" + migration.name() + "\"";
  }

  private void check(List<Note> notes, List<SqlMigration> migrations) {
    if (notes.size() > migrations.size()) {
      throw mismatch(
          "has run "
              + notes.size()
              + " migrations, but only "
              + migrations.size()
              + " are given:"
              + " a newer version of the application was here");
    }
    for (int step = 0; step < notes.size(); step++) {
      SqlMigration given = migrations.get(step);
      Note note = notes.get(step);
      if (!note.name().equals(given.name()) || note.checksum() != checksum(given)) {
        throw mismatch(
            "has run another migration "
                + (step + 1)
                + ", \""
                + note.name()
                + "\", than the one given, \""
                + given.name()
                + "\": steps that have run must not be changed; add a new one at the end");
      }
    }
  }

  private SqlException mismatch(String what) {
    return turn.database().errors().sql("The object " + what + ".");
  }

  private boolean exists() throws SqliteException {
    SqliteStatement query = connection.statements().take(EXISTS);
    try {
      return query.start();
    } finally {
      connection.statements().giveBack(EXISTS, query);
    }
  }

  private List<Note> notes() throws SqliteException {
    SqliteStatement query = connection.statements().take(SELECT);
    try {
      List<Note> notes = new ArrayList<>();
      boolean hasRow = query.start();
      while (hasRow) {
        notes.add(new Note(String.valueOf(query.value(0)), query.integer(1)));
        hasRow = query.step();
      }
      return notes;
    } finally {
      connection.statements().giveBack(SELECT, query);
    }
  }

  private void note(int step, SqlMigration migration) throws SqliteException {
    SqliteStatement insert = connection.statements().take(INSERT);
    try {
      insert.start((long) step, migration.name(), checksum(migration));
    } finally {
      connection.statements().giveBack(INSERT, insert);
    }
  }

  /** Finds texts that were changed by accident; nobody attacks his own application. */
  private static long checksum(SqlMigration migration) {
    CRC32C crc = new CRC32C();
    crc.update(migration.sql().strip().getBytes(StandardCharsets.UTF_8));
    return crc.getValue();
  }
}
