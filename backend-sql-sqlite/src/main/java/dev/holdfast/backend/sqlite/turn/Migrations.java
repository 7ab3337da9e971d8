package dev.holdfast.backend.sqlite.turn;

import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectException;
import dev.holdfast.SqlException;
import dev.holdfast.backend.sqlite.binding.SqliteBounds;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.database.ObjectConnection;
import dev.holdfast.backend.sqlite.database.ObjectErrors;
import dev.holdfast.backend.sqlite.database.TurnTransaction;
import dev.holdfast.backend.sqlite.sql.SqlStatement;
import dev.holdfast.backend.sqlite.sql.SqlStatement.Verb;
import dev.holdfast.backend.sqlite.words.SqlLexer;
import dev.holdfast.backend.sqlite.words.SqlRefusedException;
import dev.holdfast.backend.sqlite.words.SqlToken;
import dev.holdfast.backend.sqlite.words.SwitchSet;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.spi.StoreTurn.MigrationPlan;
import dev.holdfast.sql.JavaMigration;
import dev.holdfast.sql.Migration;
import dev.holdfast.sql.SqlMigration;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
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

  /** Of a step that is code; no checksum of a text. */
  private static final long CHECKSUM_OF_CODE = -1;

  private final SqliteTurn turn;
  private final TurnTransaction transaction;
  private final ObjectConnection connection;

  Migrations(SqliteTurn turn, TurnTransaction transaction) {
    this.turn = turn;
    this.transaction = transaction;
    this.connection = turn.database().connection();
  }

  /** A step that has run, as it was recorded. */
  private record Note(String name, long checksum) {}

  /**
   * {@return which of the steps have not run}
   *
   * @throws SqlException if the object has run other steps
   */
  Due due(MigrationPlan plan) throws SqliteException {
    int from = checked(exists(), plan);
    return from >= plan.steps().size() ? Due.NONE : from == 0 ? Due.ALL : Due.SOME;
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
  boolean run(MigrationPlan plan) throws SqliteException {
    boolean exists = exists();
    int from = checked(exists, plan);
    List<Migration> migrations = plan.steps();
    if (from >= migrations.size()) {
      return false;
    }
    boolean keysOff = switchesKeysOff(migrations.get(from));
    int to = from + 1;
    while (to < migrations.size() && switchesKeysOff(migrations.get(to)) == keysOff) {
      to++;
    }
    boolean wasWhole = keysOff && suspendForeignKeys();
    runSteps(exists, plan, from, to);
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
  void runAll(MigrationPlan plan) throws SqliteException {
    boolean exists = exists();
    int from = checked(exists, plan);
    if (from < plan.steps().size()) {
      runSteps(exists, plan, from, plan.steps().size());
    }
  }

  /** {@return how many steps have run; checks that they are the given ones} */
  private int checked(boolean exists, MigrationPlan plan) throws SqliteException {
    List<Note> notes = exists ? notes() : List.of();
    check(notes, plan);
    return notes.size();
  }

  private void runSteps(boolean exists, MigrationPlan plan, int from, int to)
      throws SqliteException {
    transaction.begin();
    if (!exists) {
      connection.run(CREATE);
      connection.forgetTables();
    }
    for (int step = from; step < to; step++) {
      run(step + 1, plan.steps().get(step), plan);
    }
  }

  /**
   * Whether a step wants foreign keys switched off, as a step does that rebuilds a table the way
   * SQLite documents. The pragma alone would do nothing, since the steps run in a transaction, and
   * then {@code DROP TABLE} deletes the rows of the tables that refer to it.
   */
  private boolean switchesKeysOff(Migration step) {
    return step instanceof SqlMigration text
        && statements(text).stream().anyMatch(Migrations::switchesKeysOff);
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

  private void run(int step, Migration migration, MigrationPlan plan) throws SqliteException {
    transaction.openSavepoint();
    SqlExecution execution = turn.executionOfMigration();
    boolean done = false;
    try {
      RuntimeException failure = tryRun(step, migration, plan, execution);
      if (failure != null) {
        throw failure;
      }
      done = true;
    } finally {
      if (!done) {
        transaction.endSavepoint(/* undo= */ true);
      }
    }
    transaction.releaseSavepoint();
  }

  /** {@return the error with which the step failed; null if it succeeded} */
  private @Nullable RuntimeException tryRun(
      int step, Migration migration, MigrationPlan plan, SqlExecution execution) {
    String title = title(step, migration);
    try {
      switch (migration) {
        case SqlMigration statements -> {
          requireMoreThanSwitch(statements);
          execution.run(statements.sql(), NONE).close();
        }
        case JavaMigration code -> turn.runMigration(code, plan.code(), execution);
      }
      note(step, migration);
      return null;
    } catch (SqlException | SqlRefusedException e) {
      return failed(title, execution.lastStatement(), e);
    } catch (SqliteException e) {
      RuntimeException failure = turn.failed(title, e);
      return failure instanceof SqlException
          ? failed(title, execution.lastStatement(), failure)
          : failure;
    } catch (StorageFailedException e) {
      return e;
    } catch (Exception e) {
      return failed(title, null, e);
    }
  }

  private SqlException failed(String title, @Nullable SqlStatement statement, Exception e) {
    String where =
        statement == null ? "" : ". The statement \"" + shortened(statement.sql()) + "\" failed";
    return turn.database()
        .errors()
        .sql(
            title
                + " failed, and nothing was changed"
                + where
                + ": "
                + sentence(reason(e))
                + " Correct the migration; the next call tries it again.",
            e);
  }

  /** Code may throw anything; errors of Holdfast need no name of a class. */
  private static String reason(Exception e) {
    return switch (e) {
      case ObjectException known -> known.withoutObject();
      case HoldfastException known -> String.valueOf(known.getMessage());
      case SqlRefusedException known -> String.valueOf(known.getMessage());
      default -> e.toString();
    };
  }

  private static String sentence(String text) {
    return text.endsWith(".") ? text : text + ".";
  }

  private static String shortened(String sql) {
    String line = sql.strip().replaceAll("\\s+", " ");
    return line.length() <= SqliteBounds.STATEMENT_SHOWN_MAX
        ? line
        : line.substring(0, SqliteBounds.STATEMENT_SHOWN_MAX) + "...";
  }

  private static String title(int step, Migration migration) {
    return "Migration " + step + " \"" + migration.name() + "\"";
  }

  private void check(List<Note> notes, MigrationPlan plan) {
    List<Migration> migrations = plan.steps();
    if (notes.size() > migrations.size() && !plan.newerAllowed()) {
      throw mismatch(
          "has run "
              + notes.size()
              + " migrations, but only "
              + migrations.size()
              + " are given:"
              + " a newer version of the application was here. Start that version; or, if its"
              + " migrations only add to the tables, allow them with"
              + " NamespaceOptions.withNewerMigrationsAllowed");
    }
    int both = Math.min(notes.size(), migrations.size());
    for (int step = 0; step < both; step++) {
      Migration given = migrations.get(step);
      Note note = notes.get(step);
      if (!note.name().equals(given.name()) || !isOf(given, note)) {
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

  private void note(int step, Migration migration) throws SqliteException {
    connection.statements().run(INSERT, (long) step, migration.name(), checksum(migration));
  }

  /** {@return whether a note is of a migration} */
  private static boolean isOf(Migration migration, Note note) {
    return note.checksum() == checksum(migration)
        || (migration instanceof SqlMigration text
            && note.checksum() == checksum(text.sql().strip()));
  }

  /**
   * Detects texts changed by accident; an application does not attack itself. Spaces, line ends and
   * comments do not count. Steps that an earlier version has noted have the sum of their text.
   */
  private static long checksum(Migration migration) {
    return switch (migration) {
      case SqlMigration statements -> checksum(words(statements.sql()));
      case JavaMigration _ -> CHECKSUM_OF_CODE;
    };
  }

  private static long checksum(String text) {
    CRC32C crc = new CRC32C();
    crc.update(text.getBytes(StandardCharsets.UTF_8));
    return crc.getValue();
  }

  /** {@return the tokens of a text as they are written, each in a line} */
  private static String words(String sql) {
    try {
      return SqlLexer.tokens(sql).stream().map(SqlToken::written).collect(Collectors.joining("\n"));
    } catch (SqlRefusedException e) {
      return sql.strip(); // reported when the step runs
    }
  }
}
