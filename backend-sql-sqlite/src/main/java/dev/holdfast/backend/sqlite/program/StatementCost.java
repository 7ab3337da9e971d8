package dev.holdfast.backend.sqlite.program;

import dev.holdfast.backend.sqlite.binding.SqliteBounds;
import dev.holdfast.backend.sqlite.words.SqlRefusedException;
import dev.holdfast.sql.SqlLimits;
import java.time.Duration;

/**
 * What a statement may cost, from the program that SQLite compiles from it: SQLite itself bounds
 * neither the memory of a statement nor the time of one instruction. Immutable.
 *
 * @param startsShort whether it reaches its first row, or ends, without a loop and without an
 *     instruction that may run long: its time is bounded by its length
 * @param continuesShort whether it reaches each next row in the same way
 * @param hasLongInstructions whether one instruction may run long
 * @param mayWriteFiles whether it may write temporary files
 * @param writesBetweenRows whether it may also write them between rows
 * @param collectsRows whether it keeps a list of row ids in memory
 * @param longValues how many strings and blobs it may hold at once, each as long as a value may be
 * @param computedValues how many of these are results of functions
 * @param fixedBytes what else it may hold in memory
 * @param slowCalls how many functions it calls whose time grows with the square of the length of
 *     their arguments, weighted; at most all of them run between two progress calls of SQLite
 */
public record StatementCost(
    boolean startsShort,
    boolean continuesShort,
    boolean hasLongInstructions,
    boolean mayWriteFiles,
    boolean writesBetweenRows,
    boolean collectsRows,
    int longValues,
    int computedValues,
    long fixedBytes,
    double slowCalls) {

  /** For a statement whose program is not known, and may evaluate expressions of the schema. */
  public static final StatementCost UNKNOWN =
      new StatementCost(false, false, true, true, true, false, 1, 1, 0, 0);

  /** For a statement whose program is not known, and evaluates no expression. */
  public static final StatementCost OF_SCANS =
      new StatementCost(false, false, false, true, true, false, 1, 1, 0, 0);

  /** The slowest functions, for each byte squared: 0.2 measured, 0.5 while others use the core. */
  private static final double NANOS_PER_SQUARE_BYTE = 0.5;

  private static final int ROW_ID_BYTES = 24;

  /** A row id is collected in a loop of this many instructions. */
  private static final int STEPS_PER_ROW_ID = 4;

  /**
   * {@return the longest value with which the statement stays within the limits of memory and time;
   * at most {@code longest}}
   *
   * @param longest the longest value otherwise
   * @param limits of the object
   * @throws SqlRefusedException if it needs more memory than that whatever its values are
   */
  public int valueBytesMax(int longest, SqlLimits limits) {
    int max = longest;
    long left = limits.memoryBytesMax() - fixedBytes;
    if (left < (long) max * longValues) {
      max = (int) Math.max(0, left / longValues);
    }
    if (limits.valueBytesMax() < SqliteBounds.BOUNDED_TIME_BYTES_MAX) {
      max = inTime(max, limits.statementTimeMax());
    }
    if (max < SqliteBounds.VALUE_BYTES_MIN) {
      throw SqlRefusedException.error(
          "the statement may need more memory or time than it has, about "
              + (fixedBytes + (long) longValues * SqliteBounds.VALUE_BYTES_MIN)
              + " bytes at least; use fewer sorts, groups, subqueries and functions, or see"
              + " SqlLimits.memoryBytesMax and statementTimeMax: SQLITE_ERROR");
    }
    return max;
  }

  /**
   * {@return the longest value with which a statement of ours that runs expressions of others needs
   * no more memory for their results, and no more time between two progress calls}
   *
   * @param max the longest value otherwise
   * @param memoryBytesMax the bound of memory
   * @param timeMax the bound of time
   * @throws SqlRefusedException if no value is short enough
   */
  public int valueBytesMax(int max, long memoryBytesMax, Duration timeMax) {
    int bounded =
        inTime((int) Math.min(max, memoryBytesMax / Math.max(1, computedValues)), timeMax);
    if (bounded < SqliteBounds.VALUE_BYTES_MIN) {
      throw SqlRefusedException.error("the definitions of its tables call too many functions");
    }
    return bounded;
  }

  /** {@return the longest value with which all slow calls together end in time} */
  private int inTime(int max, Duration time) {
    return slowCalls > 0
        ? (int) Math.min(max, Math.sqrt(nanos(time) / (slowCalls * NANOS_PER_SQUARE_BYTE)))
        : max;
  }

  /**
   * {@return how many instructions the statement may run}
   *
   * @param limits of the object
   */
  public long stepsMax(SqlLimits limits) {
    return collectsRows
        ? Math.min(
            limits.statementStepsMax(), limits.memoryBytesMax() / ROW_ID_BYTES * STEPS_PER_ROW_ID)
        : limits.statementStepsMax();
  }

  private static double nanos(Duration time) {
    return time.toSeconds() * 1e9 + time.toNanosPart();
  }
}
