package dev.holdfast.sql;

/**
 * What the SQL of one object may take; those of the reference runtime unless said otherwise. Beyond
 * a limit a statement fails with {@link dev.holdfast.SqlException}, and nothing of it is kept.
 * Immutable; change with the {@code with} methods.
 *
 * @param valueBytesMax longest string, blob or row in bytes; 1 MiB to 1 GiB
 * @param statementBytesMax longest statement in bytes of UTF-8; 1 to 1,000,000
 * @param columnsMax most columns of a table, index, view or result; 8 to 2,000
 * @param expressionDepthMax deepest expression; 1 to 1,000
 * @param compoundSelectMax most terms of a compound select; 1 to 500
 * @param parametersMax highest index of a parameter; 1 to 32,766
 * @param likePatternBytesMax longest pattern of LIKE and GLOB in bytes; 1 to 50,000
 * @param triggerDepthMax deepest recursion of triggers; 1 to 1,000
 * @param statementStepsMax how many instructions of SQLite's virtual machine one statement may run
 *     until its last row, about 50 to 200 million a second, before it is stopped; at least 10,000.
 *     Not a limit of the reference. A statement that writes takes the whole turn along when it is
 *     stopped: the object is reset.
 * @param resultBytesMax about how much memory the rows of one {@link SqlResult#toList}, or of one
 *     statement with {@code RETURNING}, may take, in bytes; at least 1
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
    long resultBytesMax) {

  /**
   * The limits of the reference runtime; besides a billion instructions for one statement, and 64
   * MiB for one list of rows.
   */
  public static final SqlLimits DEFAULT =
      new SqlLimits(
          8 * 1_024 * 1_024 + 34,
          100_000,
          100,
          100,
          5,
          100,
          50,
          10,
          1_000_000_000L,
          64L * 1_024 * 1_024);

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException if a number is out of its range
   */
  public SqlLimits {
    requireWithin("valueBytesMax", valueBytesMax, 1_024 * 1_024, 1_024 * 1_024 * 1_024);
    requireWithin("statementBytesMax", statementBytesMax, 1, 1_000_000);
    requireWithin("columnsMax", columnsMax, 8, 2_000);
    requireWithin("expressionDepthMax", expressionDepthMax, 1, 1_000);
    requireWithin("compoundSelectMax", compoundSelectMax, 1, 500);
    requireWithin("parametersMax", parametersMax, 1, 32_766);
    requireWithin("likePatternBytesMax", likePatternBytesMax, 1, 50_000);
    requireWithin("triggerDepthMax", triggerDepthMax, 1, 1_000);
    requireWithin("statementStepsMax", statementStepsMax, 10_000, Long.MAX_VALUE);
    requireWithin("resultBytesMax", resultBytesMax, 1, Long.MAX_VALUE);
  }

  /**
   * {@return these limits with another longest value}
   *
   * @param max the new limit
   */
  public SqlLimits withValueBytesMax(int max) {
    return new SqlLimits(
        max,
        statementBytesMax,
        columnsMax,
        expressionDepthMax,
        compoundSelectMax,
        parametersMax,
        likePatternBytesMax,
        triggerDepthMax,
        statementStepsMax,
        resultBytesMax);
  }

  /**
   * {@return these limits with another longest statement}
   *
   * @param max the new limit
   */
  public SqlLimits withStatementBytesMax(int max) {
    return new SqlLimits(
        valueBytesMax,
        max,
        columnsMax,
        expressionDepthMax,
        compoundSelectMax,
        parametersMax,
        likePatternBytesMax,
        triggerDepthMax,
        statementStepsMax,
        resultBytesMax);
  }

  /**
   * {@return these limits with another number of columns}
   *
   * @param max the new limit
   */
  public SqlLimits withColumnsMax(int max) {
    return new SqlLimits(
        valueBytesMax,
        statementBytesMax,
        max,
        expressionDepthMax,
        compoundSelectMax,
        parametersMax,
        likePatternBytesMax,
        triggerDepthMax,
        statementStepsMax,
        resultBytesMax);
  }

  /**
   * {@return these limits with another depth of expressions}
   *
   * @param max the new limit
   */
  public SqlLimits withExpressionDepthMax(int max) {
    return new SqlLimits(
        valueBytesMax,
        statementBytesMax,
        columnsMax,
        max,
        compoundSelectMax,
        parametersMax,
        likePatternBytesMax,
        triggerDepthMax,
        statementStepsMax,
        resultBytesMax);
  }

  /**
   * {@return these limits with another number of terms of a compound select}
   *
   * @param max the new limit
   */
  public SqlLimits withCompoundSelectMax(int max) {
    return new SqlLimits(
        valueBytesMax,
        statementBytesMax,
        columnsMax,
        expressionDepthMax,
        max,
        parametersMax,
        likePatternBytesMax,
        triggerDepthMax,
        statementStepsMax,
        resultBytesMax);
  }

  /**
   * {@return these limits with another highest index of a parameter}
   *
   * @param max the new limit
   */
  public SqlLimits withParametersMax(int max) {
    return new SqlLimits(
        valueBytesMax,
        statementBytesMax,
        columnsMax,
        expressionDepthMax,
        compoundSelectMax,
        max,
        likePatternBytesMax,
        triggerDepthMax,
        statementStepsMax,
        resultBytesMax);
  }

  /**
   * {@return these limits with another longest pattern}
   *
   * @param max the new limit
   */
  public SqlLimits withLikePatternBytesMax(int max) {
    return new SqlLimits(
        valueBytesMax,
        statementBytesMax,
        columnsMax,
        expressionDepthMax,
        compoundSelectMax,
        parametersMax,
        max,
        triggerDepthMax,
        statementStepsMax,
        resultBytesMax);
  }

  /**
   * {@return these limits with another depth of triggers}
   *
   * @param max the new limit
   */
  public SqlLimits withTriggerDepthMax(int max) {
    return new SqlLimits(
        valueBytesMax,
        statementBytesMax,
        columnsMax,
        expressionDepthMax,
        compoundSelectMax,
        parametersMax,
        likePatternBytesMax,
        max,
        statementStepsMax,
        resultBytesMax);
  }

  /**
   * {@return these limits with another number of instructions}
   *
   * @param max the new limit
   */
  public SqlLimits withStatementStepsMax(long max) {
    return new SqlLimits(
        valueBytesMax,
        statementBytesMax,
        columnsMax,
        expressionDepthMax,
        compoundSelectMax,
        parametersMax,
        likePatternBytesMax,
        triggerDepthMax,
        max,
        resultBytesMax);
  }

  /**
   * {@return these limits with another size of a list of rows}
   *
   * @param max the new limit
   */
  public SqlLimits withResultBytesMax(long max) {
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
        max);
  }

  private static void requireWithin(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          name + " must be within " + min + " and " + max + ": " + value);
    }
  }
}
