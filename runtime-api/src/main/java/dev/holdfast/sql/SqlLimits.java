package dev.holdfast.sql;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The limits of the SQL of one object. They equal the limits of the reference runtime unless stated
 * otherwise. A statement that exceeds a limit fails with {@link dev.holdfast.SqlException} and has
 * no effect. Immutable; change with the {@code with} methods.
 *
 * <p>Use {@link #FOREIGN} for statements that the application did not write itself.
 *
 * @param valueBytesMax longest string, blob or row in bytes; 4 KiB to 1 GiB
 * @param statementBytesMax longest statement in bytes of UTF-8; 1 to 1,000,000
 * @param columnsMax largest number of columns of a table, index, view or result; 8 to 2,000
 * @param expressionDepthMax deepest expression; 1 to 1,000
 * @param compoundSelectMax largest number of terms of a compound select; 1 to 500
 * @param parametersMax highest index of a parameter; 1 to 32,766
 * @param likePatternBytesMax longest pattern of LIKE and GLOB in bytes; 1 to 50,000
 * @param triggerDepthMax deepest recursion of triggers; 1 to 1,000
 * @param statementStepsMax largest number of instructions of SQLite's virtual machine that one
 *     statement may run until its last row, about 50 to 200 million per second; at least 10,000.
 *     Beyond it the statement is stopped. Not a limit of the reference. If a statement that writes
 *     is stopped, the object is reset. The import of a file may run as many, and 1,000 for each
 *     byte of the file
 * @param resultBytesMax approximate memory of the rows of one {@link SqlResult#toList}, or of one
 *     statement with {@code RETURNING}, in bytes; at least 1
 * @param statementTimeMax longest time of one statement until its last row; 1 ms to 365 days.
 *     Beyond it the statement is stopped, as by {@code statementStepsMax}. Only the time of the
 *     statement counts, from its start and from each row to the next: not the time of the reader
 *     between rows, nor a wait for a thread. Not a limit of the reference. SQLite cannot be stopped
 *     within a function; a {@code valueBytesMax} below 1 MiB keeps values so short that functions
 *     end in time, and refuses searches in full-text tables that may not
 * @param memoryBytesMax native memory of one statement in addition to the cache of its connection,
 *     in bytes; at least 4 MiB. A statement whose compiled program may need more gets a smaller
 *     {@code valueBytesMax}, or is refused before it runs. Not a limit of the reference
 * @param temporaryBytesMax largest number of bytes that one statement may write to temporary files;
 *     at least 1 MiB. Beyond it the statement is stopped, as by {@code statementStepsMax}. Not a
 *     limit of the reference
 * @param databaseBytesMax largest database file of an object in bytes, with all data of the object;
 *     at least 64 KiB. A larger file still opens, but does not grow. A turn that needs more is lost
 *     as a whole, as on a full disk
 * @param expandedTermsMax largest number of terms of a statement (names, literals and operators)
 *     after each column of a view, subquery or common table is replaced by its expression; 1,000 to
 *     100,000,000. SQLite does that while it compiles, with up to 400 bytes and 3 microseconds for
 *     each term, and cannot be stopped; a statement with more is refused before. Not a limit of the
 *     reference
 * @param schemaChanges whether statements may change the schema. If false, only migrations may
 *     create, change and drop tables, indexes, views and triggers, collect statistics and change
 *     switches of the connection, and statements cannot set a rank function or the configuration of
 *     a full-text table
 */
public record SqlLimits(
    int valueBytesMax,
    int statementBytesMax,
    int columnsMax,
    int expressionDepthMax,
    int compoundSelectMax,
    int parametersMax,
    int likePatternBytesMax,
    int triggerDepthMax,
    long statementStepsMax,
    long resultBytesMax,
    Duration statementTimeMax,
    long memoryBytesMax,
    long temporaryBytesMax,
    long databaseBytesMax,
    long expandedTermsMax,
    boolean schemaChanges) {

  private static final int KIB = 1_024;
  private static final int MIB = KIB * KIB;
  private static final long GIB = KIB * (long) MIB;
  private static final Duration TIME_MIN = Duration.ofMillis(1);
  private static final Duration TIME_MAX = Duration.ofDays(365);

  /**
   * The limits of the reference runtime; in addition, for one statement, a billion instructions, a
   * minute, 1 GiB of memory and 4 GiB of temporary files, a million terms, and 64 MiB for one list
   * of rows.
   */
  public static final SqlLimits DEFAULT =
      new SqlLimits(
          8 * MIB + 34,
          100_000,
          100,
          100,
          5,
          100,
          50,
          10,
          1_000_000_000L,
          64L * MIB,
          Duration.ofMinutes(1),
          GIB,
          4 * GIB,
          10 * GIB,
          1_000_000,
          true);

  /**
   * For statements that the application did not write, for example statements of its users. A
   * statement takes at most 2 s, 100 MiB of memory and 64 MiB of files, and cannot change the
   * schema.
   */
  public static final SqlLimits FOREIGN =
      DEFAULT
          .withValueBytesMax(16 * KIB)
          .withStatementBytesMax(16 * KIB)
          .withStatementStepsMax(10_000_000)
          .withResultBytesMax(8L * MIB)
          .withStatementTimeMax(Duration.ofSeconds(1))
          .withMemoryBytesMax(32L * MIB)
          .withTemporaryBytesMax(16L * MIB)
          .withDatabaseBytesMax(24L * MIB)
          .withExpandedTermsMax(100_000)
          .withSchemaChanges(false);

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException if a number is out of its range
   */
  public SqlLimits {
    requireWithin("valueBytesMax", valueBytesMax, 4 * KIB, GIB);
    requireWithin("statementBytesMax", statementBytesMax, 1, 1_000_000);
    requireWithin("columnsMax", columnsMax, 8, 2_000);
    requireWithin("expressionDepthMax", expressionDepthMax, 1, 1_000);
    requireWithin("compoundSelectMax", compoundSelectMax, 1, 500);
    requireWithin("parametersMax", parametersMax, 1, 32_766);
    requireWithin("likePatternBytesMax", likePatternBytesMax, 1, 50_000);
    requireWithin("triggerDepthMax", triggerDepthMax, 1, 1_000);
    requireWithin("statementStepsMax", statementStepsMax, 10_000, Long.MAX_VALUE);
    requireWithin("resultBytesMax", resultBytesMax, 1, Long.MAX_VALUE);
    Objects.requireNonNull(statementTimeMax, "statementTimeMax");
    if (statementTimeMax.compareTo(TIME_MIN) < 0 || statementTimeMax.compareTo(TIME_MAX) > 0) {
      throw new IllegalArgumentException(
          "statementTimeMax must be within 1 ms and 365 days: " + statementTimeMax);
    }
    requireWithin("memoryBytesMax", memoryBytesMax, 4L * MIB, Long.MAX_VALUE);
    requireWithin("temporaryBytesMax", temporaryBytesMax, MIB, Long.MAX_VALUE);
    requireWithin("databaseBytesMax", databaseBytesMax, 64L * KIB, Long.MAX_VALUE);
    requireWithin("expandedTermsMax", expandedTermsMax, 1_000, 100_000_000);
  }

  /**
   * {@return these limits with another longest value}
   *
   * @param max the new limit
   * @throws IllegalArgumentException if the limit is out of its range
   */
  public SqlLimits withValueBytesMax(int max) {
    return with(draft -> draft.valueBytesMax = max);
  }

  /**
   * {@return these limits with another longest statement}
   *
   * @param max the new limit
   * @throws IllegalArgumentException if the limit is out of its range
   */
  public SqlLimits withStatementBytesMax(int max) {
    return with(draft -> draft.statementBytesMax = max);
  }

  /**
   * {@return these limits with another number of columns}
   *
   * @param max the new limit
   * @throws IllegalArgumentException if the limit is out of its range
   */
  public SqlLimits withColumnsMax(int max) {
    return with(draft -> draft.columnsMax = max);
  }

  /**
   * {@return these limits with another depth of expressions}
   *
   * @param max the new limit
   * @throws IllegalArgumentException if the limit is out of its range
   */
  public SqlLimits withExpressionDepthMax(int max) {
    return with(draft -> draft.expressionDepthMax = max);
  }

  /**
   * {@return these limits with another number of terms of a compound select}
   *
   * @param max the new limit
   * @throws IllegalArgumentException if the limit is out of its range
   */
  public SqlLimits withCompoundSelectMax(int max) {
    return with(draft -> draft.compoundSelectMax = max);
  }

  /**
   * {@return these limits with another highest index of a parameter}
   *
   * @param max the new limit
   * @throws IllegalArgumentException if the limit is out of its range
   */
  public SqlLimits withParametersMax(int max) {
    return with(draft -> draft.parametersMax = max);
  }

  /**
   * {@return these limits with another longest pattern}
   *
   * @param max the new limit
   * @throws IllegalArgumentException if the limit is out of its range
   */
  public SqlLimits withLikePatternBytesMax(int max) {
    return with(draft -> draft.likePatternBytesMax = max);
  }

  /**
   * {@return these limits with another depth of triggers}
   *
   * @param max the new limit
   * @throws IllegalArgumentException if the limit is out of its range
   */
  public SqlLimits withTriggerDepthMax(int max) {
    return with(draft -> draft.triggerDepthMax = max);
  }

  /**
   * {@return these limits with another number of instructions}
   *
   * @param max the new limit
   * @throws IllegalArgumentException if the limit is out of its range
   */
  public SqlLimits withStatementStepsMax(long max) {
    return with(draft -> draft.statementStepsMax = max);
  }

  /**
   * {@return these limits with another size of a list of rows}
   *
   * @param max the new limit
   * @throws IllegalArgumentException if the limit is out of its range
   */
  public SqlLimits withResultBytesMax(long max) {
    return with(draft -> draft.resultBytesMax = max);
  }

  /**
   * {@return these limits with another time limit of a statement}
   *
   * @param max the new limit
   * @throws IllegalArgumentException if the limit is out of its range
   */
  public SqlLimits withStatementTimeMax(Duration max) {
    return with(draft -> draft.statementTimeMax = max);
  }

  /**
   * {@return these limits with another bound of the memory of a statement}
   *
   * @param max the new limit
   * @throws IllegalArgumentException if the limit is out of its range
   */
  public SqlLimits withMemoryBytesMax(long max) {
    return with(draft -> draft.memoryBytesMax = max);
  }

  /**
   * {@return these limits with another bound of the temporary files of a statement}
   *
   * @param max the new limit
   * @throws IllegalArgumentException if the limit is out of its range
   */
  public SqlLimits withTemporaryBytesMax(long max) {
    return with(draft -> draft.temporaryBytesMax = max);
  }

  /**
   * {@return these limits with another largest database}
   *
   * @param max the new limit
   * @throws IllegalArgumentException if the limit is out of its range
   */
  public SqlLimits withDatabaseBytesMax(long max) {
    return with(draft -> draft.databaseBytesMax = max);
  }

  /**
   * {@return these limits with another number of terms}
   *
   * @param max the new limit
   * @throws IllegalArgumentException if the limit is out of its range
   */
  public SqlLimits withExpandedTermsMax(long max) {
    return with(draft -> draft.expandedTermsMax = max);
  }

  /**
   * {@return these limits with schema changes allowed or refused}
   *
   * @param allowed whether statements may change the schema
   */
  public SqlLimits withSchemaChanges(boolean allowed) {
    return with(draft -> draft.schemaChanges = allowed);
  }

  private SqlLimits with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.limits();
  }

  private static void requireWithin(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          name + " must be within " + min + " and " + max + ": " + value);
    }
  }

  /** Limits that are being changed. */
  private static final class Draft {
    private int valueBytesMax;
    private int statementBytesMax;
    private int columnsMax;
    private int expressionDepthMax;
    private int compoundSelectMax;
    private int parametersMax;
    private int likePatternBytesMax;
    private int triggerDepthMax;
    private long statementStepsMax;
    private long resultBytesMax;
    private Duration statementTimeMax;
    private long memoryBytesMax;
    private long temporaryBytesMax;
    private long databaseBytesMax;
    private long expandedTermsMax;
    private boolean schemaChanges;

    Draft(SqlLimits limits) {
      valueBytesMax = limits.valueBytesMax;
      statementBytesMax = limits.statementBytesMax;
      columnsMax = limits.columnsMax;
      expressionDepthMax = limits.expressionDepthMax;
      compoundSelectMax = limits.compoundSelectMax;
      parametersMax = limits.parametersMax;
      likePatternBytesMax = limits.likePatternBytesMax;
      triggerDepthMax = limits.triggerDepthMax;
      statementStepsMax = limits.statementStepsMax;
      resultBytesMax = limits.resultBytesMax;
      statementTimeMax = limits.statementTimeMax;
      memoryBytesMax = limits.memoryBytesMax;
      temporaryBytesMax = limits.temporaryBytesMax;
      databaseBytesMax = limits.databaseBytesMax;
      expandedTermsMax = limits.expandedTermsMax;
      schemaChanges = limits.schemaChanges;
    }

    SqlLimits limits() {
      return new SqlLimits(
          valueBytesMax,
          statementBytesMax,
          columnsMax,
          expressionDepthMax,
          compoundSelectMax,
          parametersMax,
          likePatternBytesMax,
          triggerDepthMax,
          statementStepsMax,
          resultBytesMax,
          statementTimeMax,
          memoryBytesMax,
          temporaryBytesMax,
          databaseBytesMax,
          expandedTermsMax,
          schemaChanges);
    }
  }
}
