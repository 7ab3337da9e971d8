package dev.holdfast.backend.sqlite;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import dev.holdfast.spi.SqlRows;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One call of {@code exec}: all its statements take effect, or none. What the turn wrote before is
 * kept in either case, so a script that writes runs within a savepoint, unless it is the turn's
 * first write: then the transaction itself is one.
 *
 * <p>Owned by the thread that runs the turn.
 */
final class SqlExecution {

  private static final String SAVEPOINT = "SAVEPOINT _cf_exec";
  private static final String ROLLBACK_TO = "ROLLBACK TO _cf_exec";
  private static final String RELEASE = "RELEASE _cf_exec";

  private final SqliteTurn turn;
  private final TurnTransaction transaction;
  private final OpenCursors cursors;
  private final ObjectConnection connection;

  SqlExecution(SqliteTurn turn, TurnTransaction transaction, OpenCursors cursors) {
    this.turn = turn;
    this.transaction = transaction;
    this.cursors = cursors;
    this.connection = turn.database().connection();
  }

  SqlRows run(SqlScript script, @Nullable Object[] bindings) throws SqliteException {
    if (script.statements().isEmpty()) {
      throw turn.database().errors().sql("SQL code did not contain a statement.");
    }
    if (!script.writes()) {
      return runAll(script, bindings);
    }
    return transaction.begin() ? runFirst(script, bindings) : runNested(script, bindings);
  }

  private SqlRows runFirst(SqlScript script, @Nullable Object[] bindings) throws SqliteException {
    boolean done = false;
    try {
      SqlRows rows = runAll(script, bindings);
      done = true;
      return rows;
    } finally {
      if (!done) {
        transaction.rollback();
      }
    }
  }

  private SqlRows runNested(SqlScript script, @Nullable Object[] bindings) throws SqliteException {
    connection.run(SAVEPOINT);
    boolean done = false;
    try {
      SqlRows rows = runAll(script, bindings);
      connection.run(RELEASE);
      done = true;
      return rows;
    } finally {
      if (!done) {
        rollbackToSavepoint();
      }
    }
  }

  /** Fails if an error has rolled the whole transaction back, which the turn must not survive. */
  private void rollbackToSavepoint() {
    connection.keyValues().forget();
    try {
      connection.run(ROLLBACK_TO);
      connection.run(RELEASE);
    } catch (SqliteException e) {
      transaction.lose();
    }
  }

  private SqlRows runAll(SqlScript script, @Nullable Object[] bindings) throws SqliteException {
    List<SqlScript.Statement> statements = script.statements();
    int last = statements.size() - 1;
    for (SqlScript.Statement statement : statements.subList(0, last)) {
      runAside(statement);
    }
    return runLast(statements.get(last), bindings);
  }

  /** Runs a statement whose rows nobody gets; a single step does all that it writes. */
  private void runAside(SqlScript.Statement statement) throws SqliteException {
    SqliteStatement prepared = connection.statements().take(statement.sql());
    try {
      if (prepared.parameterCount() > 0) {
        throw turn.database()
            .errors()
            .sql(
                "When executing multiple SQL statements in a single call, only the last statement"
                    + " can have parameters.");
      }
      prepared.start();
    } finally {
      connection.statements().giveBack(statement.sql(), prepared);
    }
  }

  private SqlRows runLast(SqlScript.Statement statement, @Nullable Object[] bindings)
      throws SqliteException {
    StatementCache cache = connection.statements();
    SqliteStatement prepared = cache.take(statement.sql());
    boolean keepsRunning = false;
    try {
      if (prepared.parameterCount() != bindings.length) {
        throw turn.database().errors().sql("Wrong number of parameter bindings for SQL query.");
      }
      boolean hasRow = prepared.start(bindings);
      List<String> columnNames = prepared.columnNames();
      if (statement.writes()) {
        return new BufferedRows(columnNames, hasRow ? takeRows(prepared) : List.of());
      }
      StatementRows rows =
          new StatementRows(
              new StatementRows.Source(turn, cache, statement.sql()),
              columnNames,
              hasRow ? prepared : null);
      cursors.add(rows);
      keepsRunning = hasRow;
      return rows;
    } finally {
      if (!keepsRunning) {
        cache.giveBack(statement.sql(), prepared);
      }
    }
  }

  private static List<@Nullable Object[]> takeRows(SqliteStatement prepared)
      throws SqliteException {
    List<@Nullable Object[]> rows = new ArrayList<>();
    @Nullable Object[] values = new @Nullable Object[prepared.columnNames().size()];
    do {
      for (int column = 0; column < values.length; column++) {
        values[column] = prepared.value(column);
      }
      rows.add(Arrays.copyOf(values, values.length));
    } while (prepared.step());
    return rows;
  }
}
