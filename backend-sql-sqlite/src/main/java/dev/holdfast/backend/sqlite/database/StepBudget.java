package dev.holdfast.backend.sqlite.database;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.meter.ThreadWrites;
import org.jspecify.annotations.Nullable;

/**
 * Stops a statement of the application that has used up what it may use, or whose instance was
 * reset. SQLite asks it now and then while a statement runs, on the thread that runs it, also from
 * within the statements of its own that a full-text table runs.
 *
 * <p>Owned by whoever holds the database.
 */
public final class StepBudget {

  static {
    // Loads its classes, which takes more locks than a thread may hold at little cost: first asked
    // for within a step, it would make each call of that connection slower.
    ThreadWrites.bytes();
  }

  /** SQLite asks every so many instructions: some ten microseconds apart, at a cost below 1 %. */
  public static final int STEPS_BETWEEN_QUESTIONS = 2_048;

  /** Where nothing but the number of instructions tells how many rows a statement reads. */
  public static final int STEPS_BETWEEN_COUNTS = 128;

  /** Where one instruction may take a tenth of a second. */
  public static final int STEPS_BETWEEN_LONG_ONES = 16;

  private static final int SQLITE_INTERRUPT = 9;

  private int stepsBetween;
  private @Nullable StatementRun running;

  /** Learns how many instructions SQLite runs from one question to the next. */
  void askedEvery(int steps) {
    stepsBetween = steps;
  }

  int stepsBetween() {
    return stepsBetween;
  }

  /** A statement of the application's begins, or goes on to its next row. */
  public void begin(StatementRun run) {
    run.goOn();
    running = run;
  }

  /** It has ended, or stands on a row; what the runtime itself runs is not bounded. */
  public void end() {
    StatementRun run = running;
    running = null;
    if (run != null) {
      run.rest();
    }
  }

  /** {@return whether the running statement shall be stopped} */
  boolean isSpent() {
    StatementRun run = running;
    return run != null && run.isSpent(stepsBetween);
  }

  /** {@return the error with the reason, if it was a limit that stopped the statement} */
  public static SqliteException explained(StatementRun run, SqliteException e) {
    String spent = run.spent();
    if (e.primaryCode() != SQLITE_INTERRUPT || spent == null) {
      return e;
    }
    return new SqliteException(
        e.resultCode(), e.codeName(), "the statement was stopped because it took " + spent, e);
  }
}
