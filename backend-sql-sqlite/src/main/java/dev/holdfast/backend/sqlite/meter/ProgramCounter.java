package dev.holdfast.backend.sqlite.meter;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Counts rows by the program of the statement. Confined to the object's turn. */
final class ProgramCounter implements RowCounter {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private final ProgramMeter program;
  private final Execution execution;
  private final RowLimit limit;
  private final Map<Integer, Long> sizes = new HashMap<>(0);
  private long rows;
  private boolean isDone;

  /** Whether the sizes of its tables can no longer be read. */
  private boolean isStopped;

  private long changes;
  private long triggered;
  private long readUntilNow;

  ProgramCounter(ProgramMeter program, Execution execution, RowLimit limit) {
    this.program = program;
    this.execution = execution;
    this.limit = limit;
  }

  @Override
  public void beforeWriting() throws SqliteException {
    measure(program.fullRoots);
  }

  @Override
  public void wrote(long total) throws SqliteException {
    changes =
        total == 0 || !program.mayTrigger
            ? total
            : Math.min(total, execution.connection().changes());
    triggered = total - changes;
    isDone = true;
  }

  @Override
  public void row() {
    rows++;
  }

  @Override
  public void done() throws SqliteException {
    isDone = true;
    measureUntilNow();
  }

  @Override
  public void stopped(boolean isOfInterest) {
    try {
      if (isOfInterest && !isDone && !isStopped) {
        measureUntilNow();
      }
    } catch (SqliteException e) {
      // The turn itself meets the cause, whatever it is; only a figure depends on the sizes.
      LOG.log(Level.DEBUG, "The size of a table is not known; what a cursor has read is less.", e);
    } finally {
      isStopped = true;
    }
  }

  private void measureUntilNow() throws SqliteException {
    if (!program.fullRoots.isEmpty()) {
      measure(program.sizesNeeded(progress()));
    }
  }

  private void measure(Set<Integer> roots) throws SqliteException {
    for (int root : roots) {
      if (!sizes.containsKey(root)) {
        sizes.put(root, execution.entries(root));
      }
    }
  }

  @Override
  public long rowsRead() throws SqliteException {
    if (!isDone && !isStopped) {
      measureUntilNow();
    }
    long computed = program.rowsRead(progress(), root -> sizes.getOrDefault(root, 0L));
    if (!program.countsSteps()) {
      return computed;
    }
    // Bounds may rise and fall; a counter only grows.
    readUntilNow =
        Math.max(readUntilNow, program.withinBounds(computed, rows, execution.stepsRun()));
    return readUntilNow;
  }

  @Override
  public long rowsWritten() {
    return program.rowsWritten(progress(), root -> sizes.getOrDefault(root, 0L));
  }

  private ProgramMeter.Progress progress() {
    return new ProgramMeter.Progress(rows, isDone, changes, triggered, limit);
  }
}
