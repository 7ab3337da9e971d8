package dev.holdfast.backend.sqlite;

import dev.holdfast.backend.sqlite.binding.SqliteLimit;
import java.util.List;

/** The limits of SQL statements, those of the reference runtime. */
final class SqlLimits {

  /** A limit and what it is set to. */
  record Bound(SqliteLimit limit, int value) {}

  static final List<Bound> BOUNDS =
      List.of(
          new Bound(SqliteLimit.LENGTH, 8 * 1_024 * 1_024 + 34),
          new Bound(SqliteLimit.SQL_LENGTH, 100_000),
          new Bound(SqliteLimit.COLUMN, 100),
          new Bound(SqliteLimit.EXPR_DEPTH, 100),
          new Bound(SqliteLimit.COMPOUND_SELECT, 5),
          new Bound(SqliteLimit.VDBE_OP, 25_000),
          new Bound(SqliteLimit.FUNCTION_ARG, 127),
          // No ATTACH, and no VACUUM, which attaches a file of its own.
          new Bound(SqliteLimit.ATTACHED, 0),
          new Bound(SqliteLimit.LIKE_PATTERN_LENGTH, 50),
          new Bound(SqliteLimit.VARIABLE_NUMBER, 100),
          new Bound(SqliteLimit.TRIGGER_DEPTH, 10),
          new Bound(SqliteLimit.WORKER_THREADS, 0));

  private SqlLimits() {}
}
