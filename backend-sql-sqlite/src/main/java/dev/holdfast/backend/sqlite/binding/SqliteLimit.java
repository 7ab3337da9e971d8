package dev.holdfast.backend.sqlite.binding;

/** SQLite's run-time limits, with their numbers in its C interface. */
public enum SqliteLimit {
  /** Longest string, blob or row in bytes. */
  LENGTH(0),
  /** Longest statement in bytes. */
  SQL_LENGTH(1),
  /** Most columns of a table, index, view or result. */
  COLUMN(2),
  /** Deepest expression. */
  EXPR_DEPTH(3),
  /** Most terms of a compound select. */
  COMPOUND_SELECT(4),
  /** Longest program of a compiled statement, in instructions. */
  VDBE_OP(5),
  /** Most arguments of a function. */
  FUNCTION_ARG(6),
  /** Most attached databases. */
  ATTACHED(7),
  /** Longest pattern of LIKE and GLOB in bytes. */
  LIKE_PATTERN_LENGTH(8),
  /** Highest index of a parameter. */
  VARIABLE_NUMBER(9),
  /** Deepest recursion of triggers. */
  TRIGGER_DEPTH(10),
  /** Most auxiliary threads of one statement. */
  WORKER_THREADS(11);

  private final int number;

  SqliteLimit(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }
}
