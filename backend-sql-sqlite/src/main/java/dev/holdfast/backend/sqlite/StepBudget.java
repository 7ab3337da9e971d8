package dev.holdfast.backend.sqlite;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.sql.SqlLimits;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Stops a statement of the application that runs for too long, or whose instance was reset. SQLite
 * asks it now and then while a statement runs, on the thread that runs it.
 *
 * <p>Owned by whoever holds the database.
 */
final class StepBudget {

  /** SQLite asks every so many instructions: some ten microseconds apart, at a cost below 1 %. */
  static final int STEPS_BETWEEN_QUESTIONS = 2_048;

  /** Where nothing but the number of instructions tells how many rows a statement reads. */
  static final int STEPS_BETWEEN_COUNTS = 128;

  private static final int SQLITE_INTERRUPT = 9;

  private int stepsBetween;
  private long stepsMax;
  private long stepsLeft;
  private @Nullable BooleanSupplier interrupted;

  /** Learns how many instructions SQLite runs from one question to the next. */
  void askedEvery(int steps) {
    stepsBetween = steps;
  }

  int stepsBetween() {
    return stepsBetween;
  }

  /** A statement of the application's begins. */
  void begin(SqlLimits limits, BooleanSupplier isInterrupted) {
    goOn(limits, limits.statementStepsMax(), isInterrupted);
  }

  /**
   * A statement of the application's goes on to its next row.
   *
   * @param left what {@link #left} said after its row before
   */
  void goOn(SqlLimits limits, long left, BooleanSupplier isInterrupted) {
    stepsMax = limits.statementStepsMax();
    stepsLeft = left;
    interrupted = isInterrupted;
  }

  /** It has ended, or stands on a row; what the runtime itself runs is not bounded. */
  void end() {
    interrupted = null;
  }

  /**
   * {@return how many instructions the last statement may still run; SQLite counts them over all
   * its rows, so a short way from row to row costs what it takes, not nothing}
   */
  long left() {
    return stepsLeft;
  }

  /** {@return whether the running statement shall be stopped} */
  boolean isSpent() {
    BooleanSupplier asked = interrupted;
    if (asked == null) {
      return false;
    }
    stepsLeft -= stepsBetween;
    return stepsLeft < 0 || asked.getAsBoolean();
  }

  /** {@return the error with the reason, if it was this that stopped the statement} */
  SqliteException explained(SqliteException e) {
    if (e.primaryCode() != SQLITE_INTERRUPT || stepsLeft >= 0) {
      return e;
    }
    return new SqliteException(
        e.resultCode(),
        e.codeName(),
        "the statement was stopped because it took more than "
            + stepsMax
            + " instructions; see SqlLimits.statementStepsMax",
        e);
  }
}
