package dev.holdfast.backend.sqlite.turn;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.database.ObjectConnection;
import dev.holdfast.backend.sqlite.database.StatementRun;
import dev.holdfast.backend.sqlite.database.StepBudget;
import java.util.concurrent.Callable;

/**
 * Runs the steps of the application's statements: each within the limits of its statement, and on a
 * thread that it may occupy. A step that may take long never runs on a virtual thread, whose
 * carrier others need, nor on the threads that open and save objects.
 *
 * <p>Confined to the thread that runs the turn.
 */
final class StepRunner {

  private static final int SQLITE_TOOBIG = 18;

  private final ObjectConnection connection;
  private final Threads threads;

  StepRunner(ObjectConnection connection, Threads threads) {
    this.connection = connection;
    this.threads = threads;
  }

  /** Where long steps run. */
  @FunctionalInterface
  interface Threads {

    /** {@return what the step returns} */
    <T> T run(Callable<T> step) throws Exception;
  }

  /** One step of a statement. */
  @FunctionalInterface
  interface Step {

    /** {@return whether there is a row} */
    boolean run() throws SqliteException;
  }

  /**
   * Runs a step.
   *
   * @param run what the statement may use
   * @param isShort whether its program bounds the time of the step
   * @param step what to do
   * @return whether there is a row
   */
  boolean run(StatementRun run, boolean isShort, Step step) throws SqliteException {
    StepBudget budget = connection.budget(run.stepsBetween());
    connection.allowValues(run.valueBytesMax());
    try {
      return (isShort || !Thread.currentThread().isVirtual())
          ? runWithin(budget, run, step)
          : runElsewhere(() -> runWithin(budget, run, step));
    } catch (SqliteException e) {
      throw explained(run, e);
    } finally {
      connection.allowUsualValues();
    }
  }

  /**
   * Measures on the thread that runs the step: its writes are counted there, and waiting for it is
   * not time of the statement.
   */
  private static boolean runWithin(StepBudget budget, StatementRun run, Step step)
      throws SqliteException {
    budget.begin(run);
    try {
      return step.run();
    } finally {
      budget.end();
    }
  }

  /** Runs what may take long: on a thread for that, if this one is virtual. */
  <T> T runElsewhere(Callable<T> step) throws SqliteException {
    try {
      return threads.run(step);
    } catch (SqliteException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("A thread for SQL failed", e);
    }
  }

  private static SqliteException explained(StatementRun run, SqliteException e) {
    if (e.primaryCode() == SQLITE_TOOBIG && run.hasShorterValues()) {
      return new SqliteException(
          e.resultCode(),
          e.codeName(),
          e.text()
              + ", as the statement may hold many at once or call many slow functions: here at most"
              + " "
              + run.valueBytesMax()
              + " bytes; see SqlLimits.memoryBytesMax and statementTimeMax",
          e);
    }
    return StepBudget.explained(run, e);
  }
}
