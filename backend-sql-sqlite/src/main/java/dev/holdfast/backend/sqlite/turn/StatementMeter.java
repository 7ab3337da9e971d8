package dev.holdfast.backend.sqlite.turn;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.database.ObjectConnection;
import dev.holdfast.backend.sqlite.database.StepBudget;
import dev.holdfast.backend.sqlite.meter.ProgramMeter;
import dev.holdfast.backend.sqlite.meter.RowLimit;
import dev.holdfast.backend.sqlite.sql.Schema;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Counts what one execution of a statement reads and writes. Confined to the object's turn. */
final class StatementMeter {

  private static final Logger LOG = System.getLogger("dev.holdfast");
  private static final @Nullable Object[] NO_BINDINGS = {};

  private final ProgramMeter program;
  private final ObjectConnection connection;
  private final Schema schema;
  private final RowLimit limit;
  private final StepRunner steps;
  private final Map<Integer, Long> sizes = new HashMap<>(0);
  private long changesBefore;
  private long rows;
  private boolean isDone;

  /** Whether the sizes of its tables can no longer be read. */
  private boolean isStopped;

  private long changes;
  private long triggered;
  private long stepsRun;
  private long readUntilNow;

  StatementMeter(
      ProgramMeter program,
      ObjectConnection connection,
      Schema schema,
      StepRunner steps,
      @Nullable Object @Nullable [] bindings) {
    this.steps = steps;
    this.limit = program.limit(bindings == null ? NO_BINDINGS : bindings);
    this.program = program;
    this.connection = connection;
    this.schema = schema;
  }

  /** Called before a statement that writes runs: afterwards the tables it reads have changed. */
  void beforeWriting() throws SqliteException {
    measure(program.sizesNeeded());
    changesBefore = connection.connection().totalChanges();
  }

  /** {@return whether a failed statement has changed rows nevertheless, as with OR FAIL} */
  boolean hasWritten() throws SqliteException {
    return connection.connection().totalChanges() != changesBefore;
  }

  /** Called after the statement has made its writes. */
  void afterWriting() throws SqliteException {
    long total = connection.connection().totalChanges() - changesBefore;
    changes = total == 0 ? 0 : Math.min(total, connection.connection().changes());
    triggered = total - changes;
    isDone = true;
    connection.sizes().forget();
  }

  /** {@return how many instructions SQLite runs between two calls of its progress handler} */
  int stepsBetweenCounts() {
    return program.countsSteps()
        ? StepBudget.STEPS_BETWEEN_COUNTS
        : StepBudget.STEPS_BETWEEN_QUESTIONS;
  }

  /**
   * Records how many instructions have run since the statement began, up to the last progress call.
   */
  void ran(long steps) {
    stepsRun = steps;
  }

  /** Called when the statement stands on another row. */
  void row() {
    rows++;
  }

  /** Called when the statement has ended by itself. */
  void done() throws SqliteException {
    isDone = true;
    measure(program.sizesNeeded(progress()));
  }

  /**
   * Called when the statement was ended early. Afterwards the connection is not used: it may have
   * another owner, or be closed.
   *
   * @param isOfInterest whether the number of rows read may still be requested
   */
  void stopped(boolean isOfInterest) {
    try {
      if (isOfInterest && !isDone && !isStopped) {
        measure(program.sizesNeeded(progress()));
      }
    } catch (SqliteException e) {
      // The turn itself meets the cause, whatever it is; only a figure depends on the sizes.
      LOG.log(Level.DEBUG, "The size of a table is not known; what a cursor has read is less.", e);
    } finally {
      isStopped = true;
    }
  }

  /** Counting a large table takes long, as does the statement that goes through it. */
  private void measure(Set<Integer> roots) throws SqliteException {
    if (!sizes.keySet().containsAll(roots)) {
      steps.runUnmeasured(() -> measureNow(roots));
    }
  }

  private boolean measureNow(Set<Integer> roots) throws SqliteException {
    for (int root : roots) {
      if (!sizes.containsKey(root)) {
        String table = schema.tableAt(root);
        sizes.put(root, table == null ? 0 : connection.sizes().of(table));
      }
    }
    return true;
  }

  /**
   * {@return the rows read until now}
   *
   * @throws SqliteException if the size of a table cannot be read
   */
  long rowsRead() throws SqliteException {
    if (!isDone && !isStopped) {
      measure(program.sizesNeeded(progress()));
    }
    long computed = program.rowsRead(progress(), root -> sizes.getOrDefault(root, 0L));
    if (!program.countsSteps()) {
      return computed;
    }
    // Bounds may rise and fall; a counter only grows.
    readUntilNow =
        Math.max(
            readUntilNow, program.withinBounds(computed, rows, stepsRun, stepsBetweenCounts()));
    return readUntilNow;
  }

  long rowsWritten() {
    return program.rowsWritten(progress(), root -> sizes.getOrDefault(root, 0L));
  }

  private ProgramMeter.Progress progress() {
    return new ProgramMeter.Progress(rows, isDone, changes, triggered, limit);
  }
}
