package dev.holdfast.backend.sqlite.turn;

import dev.holdfast.backend.sqlite.binding.SqliteBounds;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import dev.holdfast.backend.sqlite.database.ObjectConnection;
import dev.holdfast.backend.sqlite.database.ObjectErrors;
import dev.holdfast.backend.sqlite.database.StatementRun;
import dev.holdfast.backend.sqlite.database.Statistics;
import dev.holdfast.backend.sqlite.database.TurnTransaction;
import dev.holdfast.backend.sqlite.meter.RowCounter;
import dev.holdfast.backend.sqlite.sql.Schema;
import dev.holdfast.backend.sqlite.sql.SqlScript;
import dev.holdfast.backend.sqlite.sql.SqlStatement;
import dev.holdfast.backend.sqlite.sql.StatementPlan;
import dev.holdfast.backend.sqlite.sql.StatementPlans;
import dev.holdfast.spi.SqlRows;
import dev.holdfast.spi.statistics.StorageEvents;
import dev.holdfast.sql.SqlLimits;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One call of {@code exec}: all its statements take effect, or none. A single statement is atomic
 * by itself. Several statements run within a savepoint.
 *
 * <p>Confined to the thread that runs the turn.
 */
final class SqlExecution {

  private static final int SQLITE_NOMEM = 7;
  private static final int SQLITE_READONLY = 8;
  private static final int SQLITE_TOOBIG = 18;
  private static final int SQLITE_AUTH = 23;

  private static final String TOO_LARGE =
      "The rows that the statement returns are too large to fit in memory; nothing of it was"
          + " written. Write fewer rows at once, return fewer columns, or see"
          + " SqlLimits.resultBytesMax";

  private static final String ONLY_LAST =
      "When executing multiple SQL statements in a single call, only the last statement can have"
          + " parameters.";
  private static final String COMMENT_IS_LAST =
      " A comment after the last semicolon counts as the last statement: remove either of them.";

  private static final String TOO_MANY_INSTRUCTIONS =
      "the statement compiles to more than "
          + SqliteBounds.INSTRUCTIONS_MAX
          + " instructions of SQLite; split it, or pass rows as parameters of a statement that is"
          + " run for each";

  private final SqliteTurn turn;
  private final TurnTransaction transaction;
  private final OpenCursors cursors;
  private final ObjectConnection connection;
  private final StatementPlans plans;
  private final StepRunner steps;
  private SqlLimits limits;
  private boolean isOfMigrations;
  private boolean mayWrite = true;

  /** The statement that runs, or ran last. */
  private @Nullable SqlStatement lastStatement;

  /**
   * @param turn in which it runs
   * @param transaction of the turn
   * @param cursors of the turn
   * @param threads where long steps run
   */
  SqlExecution(
      SqliteTurn turn,
      TurnTransaction transaction,
      OpenCursors cursors,
      StepRunner.Threads threads) {
    this.turn = turn;
    this.transaction = transaction;
    this.cursors = cursors;
    this.connection = turn.database().connection();
    this.plans = connection.plans(turn.services().schemas());
    this.steps = new StepRunner(connection, threads);
    this.limits = turn.limits();
  }

  /**
   * Runs statements of an operator, under other limits than those of the object. The schema is read
   * before, because narrower limits could make SQLite take it for damaged. The caller sets the
   * limits of the object again.
   */
  SqlExecution under(SqlLimits wanted, boolean writing) throws SqliteException {
    connection.connection().execute("SELECT 1 FROM main.sqlite_schema LIMIT 0");
    plans.schema();
    connection.limit(wanted);
    limits = wanted;
    mayWrite = writing;
    return this;
  }

  /** Allows statements to change the schema whatever the limits say, as migrations may. */
  SqlExecution ofMigrations() {
    isOfMigrations = true;
    return this;
  }

  /** {@return the statement that runs, or ran last; null before the first of this text} */
  @Nullable SqlStatement lastStatement() {
    return lastStatement;
  }

  private boolean mayChangeSchema() {
    return isOfMigrations || limits.schemaChanges();
  }

  /** Runs a text. */
  SqlRows run(String query, @Nullable Object[] bindings) throws SqliteException {
    lastStatement = null;
    checkLength(query);
    return run(turn.services().scripts().of(query), bindings);
  }

  /** Runs a text that must be one statement. */
  SqlRows runOne(String query, @Nullable Object[] bindings) throws SqliteException {
    checkLength(query);
    SqlScript script = turn.services().scripts().of(query);
    if (script.statements().size() > 1 || script.hasTail()) {
      throw turn.database().errors().sql("Only one statement is run at a time.", SQLITE_READONLY);
    }
    return run(script, bindings);
  }

  private void checkLength(String query) {
    int max = limits.statementBytesMax();
    int bytesPerCharMax = 3;
    boolean mayBeTooLong = query.length() > max / bytesPerCharMax;
    if (mayBeTooLong && query.getBytes(StandardCharsets.UTF_8).length > max) {
      throw turn.database().errors().sql("statement too long: SQLITE_TOOBIG", SQLITE_TOOBIG);
    }
  }

  private SqlRows run(SqlScript script, @Nullable Object[] bindings) throws SqliteException {
    if (!mayChangeSchema()) {
      script.statements().forEach(SqlStatement::requireNoSchemaChange);
    }
    if (!cursors.hasRoom()) {
      throw turn.database()
          .errors()
          .sql(
              "Too many cursors of this turn are open: read them to their end, or add a LIMIT"
                  + " clause.");
    }
    if (!script.needsSavepoint()) {
      return runAll(script, bindings);
    }
    transaction.openSavepoint();
    boolean done = false;
    try {
      SqlRows rows = runAll(script, bindings);
      transaction.releaseSavepoint();
      done = true;
      return rows;
    } finally {
      if (!done) {
        transaction.endSavepoint(/* undo= */ true);
      }
    }
  }

  private SqlRows runAll(SqlScript script, @Nullable Object[] bindings) throws SqliteException {
    List<SqlStatement> statements = script.statements();
    int last = statements.size() - 1;
    for (SqlStatement statement : statements.subList(0, last)) {
      runAndClose(statement);
    }
    if (script.hasTail()) {
      if (bindings.length > 0) {
        throw turn.database().errors().sql(ONLY_LAST + COMMENT_IS_LAST);
      }
      runAndClose(statements.get(last));
      throw turn.database().errors().sql(SqlScript.NO_STATEMENT);
    }
    return run(statements.get(last), bindings);
  }

  private void runAndClose(SqlStatement statement) throws SqliteException {
    if (run(statement, null) instanceof StatementRows rows) {
      // A single step has done all of the statement's writes.
      rows.close();
    }
  }

  /**
   * Runs a statement.
   *
   * @param bindings its parameters; null if it must not have any
   */
  private SqlRows run(SqlStatement statement, @Nullable Object @Nullable [] bindings)
      throws SqliteException {
    lastStatement = statement;
    StorageEvents.Statement event = turn.services().events().statement();
    if (event == null) {
      return runUnrecorded(statement, bindings);
    }
    try {
      return runUnrecorded(statement, bindings);
    } finally {
      event.end(turn.database().key(), statement.sql());
    }
  }

  private SqlRows runUnrecorded(SqlStatement statement, @Nullable Object @Nullable [] bindings)
      throws SqliteException {
    StatementPlan plan = plan(statement, bindings);
    if (!mayWrite && (plan.writes() || statement.switchSet() != null)) {
      throw turn.database()
          .errors()
          .sql("Only statements that read are run; nothing was changed.", SQLITE_READONLY);
    }
    if (!mayChangeSchema()) {
      plan.requireNoConfiguration(statement);
    }
    // Compiled before the transaction begins, so that a pragma takes effect; the pragma of foreign
    // keys takes effect only outside a transaction, as in the reference.
    SqliteStatement prepared = connection.statements().take(statement.sql());
    boolean keepsRunning = false;
    try {
      if (statement.switchSet() != null) {
        connection.switches().mayHaveChanged(statement.switchSet().name());
      }
      checkParameters(prepared, bindings);
      StatementRun run =
          new StatementRun(
              statement, plan, limits, bindings, turn.services().time(), turn.interruption());
      RowCounter counter =
          plan.counter(new CountedRun(connection, plans.schema(), steps, run), bindings);
      Prepared started = new Prepared(plan, prepared, counter, run);
      if (plan.writes()) {
        return write(statement, started, bindings);
      }
      boolean hasRow = start(started, bindings);
      StatementRows rows =
          new StatementRows(
              new StatementRows.Source(turn, steps, connection.statements(), statement.sql()),
              new StatementRows.Metered(plan.columnNames(prepared), plan, counter, run),
              hasRow ? prepared : null);
      cursors.add(rows);
      keepsRunning = hasRow;
      return rows;
    } finally {
      if (!keepsRunning) {
        giveBack(statement, prepared);
      }
    }
  }

  private StatementPlan plan(SqlStatement statement, @Nullable Object @Nullable [] bindings)
      throws SqliteException {
    try {
      return plans.of(statement, limits.expandedTermsMax(), bindings);
    } catch (SqliteException e) {
      if (e.primaryCode() == SQLITE_NOMEM && connection.isTooManyInstructions(statement)) {
        throw new SqliteException(SQLITE_TOOBIG, "SQLITE_TOOBIG", TOO_MANY_INSTRUCTIONS, e);
      }
      throw e;
    }
  }

  private void giveBack(SqlStatement statement, SqliteStatement prepared) {
    if (statement.verb() == SqlStatement.Verb.PRAGMA) {
      // Compiling the statement performs the switch. A cached one would switch only within the
      // transaction of its next execution, where foreign keys stay as they are.
      prepared.close();
    } else {
      connection.statements().giveBack(statement.sql(), prepared);
    }
  }

  private void checkParameters(SqliteStatement prepared, @Nullable Object @Nullable [] bindings) {
    if (bindings == null && prepared.parameterCount() > 0) {
      throw turn.database().errors().sql(ONLY_LAST);
    }
    if (bindings != null && prepared.parameterCount() != bindings.length) {
      throw turn.database()
          .errors()
          .sql(
              "Wrong number of parameter bindings for SQL query. It has "
                  + counted(prepared.parameterCount(), "parameter")
                  + ", and "
                  + counted(bindings.length, "value")
                  + (bindings.length == 1 ? " was" : " were")
                  + " given.");
    }
  }

  private static String counted(int count, String what) {
    return count + " " + what + (count == 1 ? "" : "s");
  }

  private boolean start(Prepared started, @Nullable Object @Nullable [] bindings)
      throws SqliteException {
    SqliteStatement prepared = started.prepared();
    return steps.run(
        started.run(),
        started.plan().cost().startsShort(),
        () -> bindings == null ? prepared.start() : prepared.start(bindings));
  }

  /** A statement that is about to run. */
  private record Prepared(
      StatementPlan plan, SqliteStatement prepared, RowCounter counter, StatementRun run) {}

  private SqlRows write(
      SqlStatement statement, Prepared prepared, @Nullable Object @Nullable [] bindings)
      throws SqliteException {
    RowCounter counter = prepared.counter();
    Schema before = plans.schema();
    boolean begun = transaction.begin();
    counter.beforeWriting();
    long changesBefore = connection.connection().totalChanges();
    BufferedRows rows;
    try {
      // The end of the whole transaction might end cursors; a savepoint does not.
      boolean isAlone = begun && cursors.areClosed();
      rows =
          mayReturnRows(statement, prepared.prepared()) && !isAlone
              ? takenWithinSavepoint(prepared, bindings)
              : taken(prepared, bindings);
      if (rows == null) {
        if (isAlone) {
          transaction.rollback();
        }
        throw new SqliteException(SQLITE_TOOBIG, "SQLITE_TOOBIG", TOO_LARGE, null);
      }
    } catch (SqliteException e) {
      if (ObjectErrors.isInterrupt(e)) {
        // SQLite has rolled back the whole transaction, including earlier writes of the turn.
        transaction.lose();
      } else if (begun && changesSince(changesBefore) == 0 && cursors.areClosed()) {
        // Nothing was written in this turn: without a transaction there is no batch to make. With
        // open cursors it stays open: ending a transaction that tried to change tables would end
        // them.
        transaction.rollback();
      }
      throw e;
    } finally {
      connection.sizes().forget();
    }
    counter.wrote(changesSince(changesBefore));
    cursors.add(rows);
    if (statement.analyzes()) {
      Statistics.forgetHidden(connection);
    }
    if (statement.changesSchema() || statement.analyzes()) {
      plans.schemaMayHaveChanged();
      requireSameHidden(before, plans.schema());
    }
    return rows;
  }

  /** {@return how many rows were changed; of a failed statement too, as with OR FAIL} */
  private long changesSince(long before) throws SqliteException {
    return connection.connection().totalChanges() - before;
  }

  /** However a statement got around the guard, what it did is undone with the whole turn. */
  private void requireSameHidden(Schema before, Schema after) throws SqliteException {
    if (!after.hasSameHidden(before)) {
      transaction.lose();
      throw new SqliteException(
          SQLITE_AUTH, "SQLITE_AUTH", "access to a hidden table is prohibited", null);
    }
  }

  private static boolean mayReturnRows(SqlStatement statement, SqliteStatement prepared) {
    return statement.verb() == SqlStatement.Verb.ROWS && prepared.columnCount() > 0;
  }

  /**
   * Runs a statement that writes, and takes the rows it returns.
   *
   * @return null if the rows need too much memory; the caller must undo what the statement wrote
   */
  private @Nullable BufferedRows taken(Prepared prepared, @Nullable Object @Nullable [] bindings)
      throws SqliteException {
    SqliteStatement running = prepared.prepared();
    boolean hasRow = start(prepared, bindings);
    BufferedRows rows =
        new BufferedRows(turn, prepared.plan().columnNames(running), prepared.counter());
    if (hasRow && !rows.take(running, limits.resultBytesMax())) {
      // To SQLite the statement is complete: skipping the remaining rows undoes nothing.
      running.reset();
      return null;
    }
    return rows;
  }

  /**
   * As {@link #taken}; if the rows need too much memory, the statement's writes are already undone.
   */
  private @Nullable BufferedRows takenWithinSavepoint(
      Prepared prepared, @Nullable Object @Nullable [] bindings) throws SqliteException {
    transaction.openSavepoint();
    BufferedRows rows = null;
    boolean done = false;
    try {
      rows = taken(prepared, bindings);
      done = true;
    } finally {
      if (!done) {
        // The statement has undone its own writes where it must; with OR FAIL some of them stay.
        transaction.endSavepoint(/* undo= */ false);
      }
    }
    if (rows == null) {
      transaction.endSavepoint(/* undo= */ true);
    } else {
      transaction.releaseSavepoint();
    }
    return rows;
  }
}
