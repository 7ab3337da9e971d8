package dev.holdfast.backend.sqlite.database;

import dev.holdfast.backend.sqlite.binding.SqliteBounds;
import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLimit;
import dev.holdfast.sql.SqlLimits;

/**
 * Sets the limits of a connection. Limits that an application cannot choose are the reference's.
 */
public final class ConnectionLimits {

  /** The guard makes SQLite explain each statement, which makes it longer by a word. */
  private static final int EXPLAIN_BYTES = 16;

  private ConnectionLimits() {}

  static void apply(SqlLimits limits, SqliteConnection connection) throws SqliteException {
    connection.limit(SqliteLimit.LENGTH, usualValueBytesMax(limits));
    connection.limit(SqliteLimit.SQL_LENGTH, limits.statementBytesMax() + EXPLAIN_BYTES);
    connection.limit(SqliteLimit.COLUMN, limits.columnsMax());
    connection.limit(SqliteLimit.EXPR_DEPTH, limits.expressionDepthMax());
    connection.limit(SqliteLimit.COMPOUND_SELECT, limits.compoundSelectMax());
    connection.limit(SqliteLimit.VDBE_OP, SqliteBounds.INSTRUCTIONS_MAX);
    connection.limit(SqliteLimit.FUNCTION_ARG, 127);
    // No ATTACH, and no VACUUM, which attaches a separate file.
    connection.limit(SqliteLimit.ATTACHED, 0);
    connection.limit(SqliteLimit.LIKE_PATTERN_LENGTH, limits.likePatternBytesMax());
    connection.limit(SqliteLimit.VARIABLE_NUMBER, limits.parametersMax());
    connection.limit(SqliteLimit.TRIGGER_DEPTH, limits.triggerDepthMax());
    connection.limit(SqliteLimit.WORKER_THREADS, 0);
  }

  /**
   * Limits a connection on which only statements of ours run, for any object: as wide as the limits
   * of an object can be, so that each schema can be read.
   */
  public static void applyWidest(SqliteConnection connection) throws SqliteException {
    connection.limit(SqliteLimit.LENGTH, Integer.MAX_VALUE);
    connection.limit(SqliteLimit.SQL_LENGTH, SqliteBounds.OWN_STATEMENT_BYTES_MAX);
    connection.limit(SqliteLimit.COLUMN, SqliteBounds.LIFTED_COLUMNS_MAX);
    connection.limit(SqliteLimit.EXPR_DEPTH, 1_000);
    connection.limit(SqliteLimit.COMPOUND_SELECT, 500);
    connection.limit(SqliteLimit.VDBE_OP, SqliteBounds.FILE_INSTRUCTIONS_MAX);
    connection.limit(SqliteLimit.FUNCTION_ARG, 127);
    connection.limit(SqliteLimit.ATTACHED, 0);
    connection.limit(SqliteLimit.LIKE_PATTERN_LENGTH, SqlLimits.DEFAULT.likePatternBytesMax());
    connection.limit(SqliteLimit.VARIABLE_NUMBER, 32_766);
    connection.limit(SqliteLimit.TRIGGER_DEPTH, 1_000);
    connection.limit(SqliteLimit.WORKER_THREADS, 0);
  }

  /** {@return the longest value while no statement of the application runs} */
  static int usualValueBytesMax(SqlLimits limits) {
    return Math.max(limits.valueBytesMax(), SqliteBounds.OWN_VALUE_BYTES_MAX);
  }

  /**
   * Limits a connection that reads a whole file of an object: the schema may be what the limits of
   * the object allow, and our own statements what {@link #lift} allows.
   */
  public static void applyToFile(SqlLimits limits, SqliteConnection connection)
      throws SqliteException {
    apply(limits, connection);
    connection.limit(SqliteLimit.COLUMN, SqliteBounds.LIFTED_COLUMNS_MAX);
    connection.limit(SqliteLimit.VDBE_OP, SqliteBounds.FILE_INSTRUCTIONS_MAX);
    connection.limit(SqliteLimit.SQL_LENGTH, SqliteBounds.OWN_STATEMENT_BYTES_MAX);
  }

  /**
   * Allows our own statements what statements of objects may not do: attach a file, and select a
   * row id in addition to all columns of a table.
   */
  public static void lift(SqliteConnection connection) throws SqliteException {
    connection.limit(SqliteLimit.SQL_LENGTH, SqliteBounds.OWN_STATEMENT_BYTES_MAX);
    connection.limit(SqliteLimit.ATTACHED, 1);
    connection.limit(SqliteLimit.COLUMN, SqliteBounds.LIFTED_COLUMNS_MAX);
    connection.limit(SqliteLimit.VDBE_OP, SqliteBounds.LIFTED_INSTRUCTIONS_MAX);
  }
}
