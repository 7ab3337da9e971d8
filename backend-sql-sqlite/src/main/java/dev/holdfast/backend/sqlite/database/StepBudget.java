package dev.holdfast.backend.sqlite.database;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import org.jspecify.annotations.Nullable;

/**
 * Stops a statement of the application that has used up what it may use, or whose instance was
 * reset. SQLite calls it at intervals while a statement runs, on the thread that runs it, also from
 * within the statements that a full-text table runs itself.
 *
 * <p>Confined to the holder of the database.
 */
public final class StepBudget {

  static {
    // Loads the classes now. Loading takes more locks than a thread may hold at little cost: done
    // within a step, it would make each call of that connection slower.
    ThreadWrites.bytes();
  }

  private static final int SQLITE_INTERRUPT = 9;

  private int stepsBetween;
  private @Nullable StatementRun running;

  /** Records how many instructions SQLite runs between two progress calls. */
  void askedEvery(int steps) {
    stepsBetween = steps;
  }

  int stepsBetween() {
    return stepsBetween;
  }

  /** Called when a statement of the application begins, or continues to its next row. */
  public void begin(StatementRun run) {
    run.goOn();
    running = run;
  }

  /** Called when it has ended, or stands on a row; the runtime's own statements are not bounded. */
  public void end() {
    StatementRun run = running;
    running = null;
    if (run != null) {
      run.rest();
    }
  }

  /** {@return whether the running statement must stop} */
  boolean isSpent() {
    StatementRun run = running;
    return run != null && run.isSpent(stepsBetween);
  }

  /** {@return the error with the reason, if a limit stopped the statement} */
  public static SqliteException explained(StatementRun run, SqliteException e) {
    String spent = run.spent();
    if (e.primaryCode() != SQLITE_INTERRUPT || spent == null) {
      return e;
    }
    return new SqliteException(
        e.resultCode(), e.codeName(), "the statement was stopped because it took " + spent, e);
  }
}
