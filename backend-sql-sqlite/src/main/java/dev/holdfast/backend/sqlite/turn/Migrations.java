package dev.holdfast.backend.sqlite.turn;

import dev.holdfast.SqlException;
import dev.holdfast.backend.sqlite.binding.SqliteBounds;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.database.ObjectConnection;
import dev.holdfast.backend.sqlite.database.ObjectErrors;
import dev.holdfast.backend.sqlite.database.TurnTransaction;
import dev.holdfast.backend.sqlite.sql.SqlStatement;
import dev.holdfast.backend.sqlite.sql.SqlStatement.Verb;
import dev.holdfast.backend.sqlite.words.SqlRefusedException;
import dev.holdfast.backend.sqlite.words.SwitchSet;
import dev.holdfast.sql.SqlMigration;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Runs the migrations of a namespace on the tables of an object, and records in a hidden table
 * which steps have run. Each step runs within a savepoint, together with its record.
 *
 * <p>Confined to the thread that runs the turn.
 */
public final class Migrations {

  /** What {@link #due} returns for an object that has run no step. */
  enum Due {
    NONE,
    ALL,
    SOME
  }

  private static final String EXISTS =
      "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = '_cf_MIGRATION'";
  public static final String CREATE =
      "CREATE TABLE main._cf_MIGRATION (step INTEGER PRIMARY KEY, name TEXT NOT NULL,"
          + " checksum INTEGER NOT NULL)";
  private static final String SELECT =
      "SELECT name, checksum FROM main._cf_MIGRATION ORDER BY step";
  private static final String INSERT = "INSERT INTO main._cf_MIGRATION VALUES (?, ?, ?)";

  private static final String BROKEN_KEY =
      "SELECT \"table\", rowid, parent FROM pragma_foreign_key_check(NULL, 'main') LIMIT 1";

  private static final String KEYS = "foreign_keys";

  private static final Object[] NONE = {};

  private final SqliteTurn turn;
  private final TurnTransaction transaction;
  private final SqlExecution execution;
  private final ObjectConnection connection;

  Migrations(SqliteTurn turn, TurnTransaction transaction, SqlExecution execution) {
    this.turn = turn;
    this.transaction = transaction;
    this.execution = execution.ofMigrations();
    this.connection = turn.database().connection();
  }

  /** A step that has run, as it was recorded. */
  private record Note(String name, long checksum) {}

  /**
   * {@return which of the steps have not run}
   *
   * @throws SqlException if the object has run other steps
   */
  Due due(List<SqlMigration> migrations) throws SqliteException {
    int from = checked(exists(), migrations);
    return from == migrations.size() ? Due.NONE : from == 0 ? Due.ALL : Due.SOME;
  }

  /** {@return the names of the steps that have run, in order} */
  List<String> names() throws SqliteException {
    return exists() ? notes().stream().map(Note::name).toList() : List.of();
  }

  /**
   * Runs the next steps: all of them, or those up to a step that needs another setting of the
   * foreign key switch. The switch cannot change within a transaction.
   *
   * @return whether the turn must be sealed, and this method called again in another turn
   */
  boolean run(List<SqlMigration> migrations) throws SqliteException {
    boolean exists = exists();
    int from = checked(exists, migrations);
    if (from == migrations.size()) {
      return false;
    }
    boolean keysOff = switchesKeysOff(migrations.get(from));
    int to = from + 1;
    while (to < migrations.size() && switchesKeysOff(migrations.get(to)) == keysOff) {
      to++;
    }
    boolean wasWhole = keysOff && suspendForeignKeys();
    runSteps(exists, migrations, from, to);
    String broken = wasWhole ? brokenKey() : null;
    if (broken != null) {
      throw turn.database()
          .errors()
          .sql(
              "The migrations ran with foreign keys switched off and have left a row that breaks"
                  + " one, "
                  + broken
                  + "; nothing was changed. Actions such as ON DELETE CASCADE do not run then.");
    }
    return keysOff || to < migrations.size();
  }

  /**
   * Runs all remaining steps, whatever they need of the foreign key switch; for a caller that
   * undoes them.
   *
   * @throws SqlException if a step fails, or other steps have run
   */
  void runAll(List<SqlMigration> migrations) throws SqliteException {
    boolean exists = exists();
    int from = checked(exists, migrations);
    if (from < migrations.size()) {
      runSteps(exists, migrations, from, migrations.size());
    }
  }

  /** {@return how many steps have run; checks that they are the given ones} */
  private int checked(boolean exists, List<SqlMigration> migrations) throws SqliteException {
    List<Note> notes = exists ? notes() : List.of();
    check(notes, migrations);
    return notes.size();
  }

  private void runSteps(boolean exists, List<SqlMigration> migrations, int from, int to)
      throws SqliteException {
    transaction.begin();
    if (!exists) {
      connection.run(CREATE);
      connection.forgetTables();
    }
    for (int step = from; step < to; step++) {
      run(step + 1, migrations.get(step));
    }
  }

  /**
   * Whether a step wants foreign keys switched off, as a step does that rebuilds a table the way
   * SQLite documents. The pragma alone would do nothing, since the steps run in a transaction, and
   * then {@code DROP TABLE} deletes the rows of the tables that refer to it.
   */
  private boolean switchesKeysOff(SqlMigration step) {
    return statements(step).stream().anyMatch(Migrations::switchesKeysOff);
  }

  private static boolean switchesKeysOff(SqlStatement statement) {
    SwitchSet set = statement.switchSet();
    return set != null && set.isOff() && set.name().equals(KEYS) && !statement.isExplain();
  }

  private List<SqlStatement> statements(SqlMigration step) {
    try {
      return turn.services().scripts().of(step.sql()).statements();
    } catch (SqlRefusedException e) {
      return List.of(); // reported when the step runs
    }
  }

  /** A step that contains only the switch is meant for the steps that follow. */
  private void requireMoreThanSwitch(SqlMigration step) {
    List<SqlStatement> statements = statements(step);
    boolean onlyPragmas = statements.stream().allMatch(each -> each.verb() == Verb.PRAGMA);
    if (onlyPragmas && statements.stream().anyMatch(Migrations::switchesKeysOff)) {
      throw turn.database()
          .errors()
          .sql(
              "PRAGMA foreign_keys = OFF holds for its own step, and there is nothing else in it;"
                  + " write it in front of the statements that need it, in one step with them.");
    }
  }

  /**
   * Switches foreign keys off for the turn.
   *
   * @return whether the keys are to be checked after the steps: not if there were violations before
   */
  private boolean suspendForeignKeys() throws SqliteException {
    boolean wasWhole = isWhole();
    turn.suspendForeignKeys();
    return wasWhole;
  }

  private boolean isWhole() throws SqliteException {
    try {
      return brokenKey() == null;
    } catch (SqliteException e) {
      if (ObjectErrors.isCritical(e)) {
        throw e;
      }
      return false; // a key refers to columns that cannot be the target of a key
    }
  }

  /** {@return where a foreign key is broken; null if none is} */
  private @Nullable String brokenKey() throws SqliteException {
    return connection
        .connection()
        .first(
            BROKEN_KEY,
            row ->
                "row "
                    + row.value(1)
                    + " of table "
                    + row.value(0)
                    + ", which refers to "
                    + row.value(2));
  }

  private void run(int step, SqlMigration migration) throws SqliteException {
    transaction.openSavepoint();
    RuntimeException failure = tryRun(step, migration);
    if (failure == null) {
      transaction.releaseSavepoint();
      return;
    }
    transaction.endSavepoint(/* undo= */ true);
    throw failure;
  }

  /** {@return the error with which the step failed; null if it succeeded} */
  private @Nullable RuntimeException tryRun(int step, SqlMigration migration) {
    try {
      requireMoreThanSwitch(migration);
      execution.run(migration.sql(), NONE).close();
      note(step, migration);
      return null;
    } catch (SqlException | SqlRefusedException e) {
      return failed(step, migration, e);
    } catch (SqliteException e) {
      RuntimeException failure = turn.failed(title(step, migration), e);
      return failure instanceof SqlException ? failed(step, migration, failure) : failure;
    } catch (RuntimeException e) {
      return e;
    }
  }

  private SqlException failed(int step, SqlMigration migration, RuntimeException e) {
    SqlStatement statement = execution.lastStatement();
    String where =
        statement == null ? "" : ". The statement \"" + shortened(statement.sql()) + "\" failed";
    return turn.database()
        .errors()
        .sql(
            title(step, migration)
                + " failed, and nothing was changed"
                + where
                + ": "
                + e.getMessage(),
            e);
  }

  private static String shortened(String sql) {
    String line = sql.strip().replaceAll("\\s+", " ");
    return line.length() <= SqliteBounds.STATEMENT_SHOWN_MAX
        ? line
        : line.substring(0, SqliteBounds.STATEMENT_SHOWN_MAX) + "...";
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
    return connection.statements().hasRow(EXISTS);
  }

  private List<Note> notes() throws SqliteException {
    return connection
        .statements()
        .list(SELECT, row -> new Note(String.valueOf(row.value(0)), row.integer(1)));
  }

  private void note(int step, SqlMigration migration) throws SqliteException {
    connection.statements().run(INSERT, (long) step, migration.name(), checksum(migration));
  }

  /** Detects texts changed by accident; an application does not attack itself. */
  private static long checksum(SqlMigration migration) {
    CRC32C crc = new CRC32C();
    crc.update(migration.sql().strip().getBytes(StandardCharsets.UTF_8));
    return crc.getValue();
  }
}
