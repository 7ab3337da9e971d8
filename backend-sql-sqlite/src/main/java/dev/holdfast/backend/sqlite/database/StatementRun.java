package dev.holdfast.backend.sqlite.database;

import dev.holdfast.TimeSource;
import dev.holdfast.backend.sqlite.binding.SqliteBounds;
import dev.holdfast.backend.sqlite.program.StatementCost;
import dev.holdfast.backend.sqlite.sql.SqlStatement;
import dev.holdfast.backend.sqlite.sql.StatementPlan;
import dev.holdfast.sql.SqlLimits;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One execution of a statement of the application: what it may still use, over all its rows.
 * Confined to the object's turn; while the statement runs, to the thread that runs it.
 */
public final class StatementRun {

  private final TimeSource time;
  private final SqlLimits limits;
  private final StatementCost cost;
  private final BooleanSupplier interrupted;
  private final long bytesMax;
  private final int usualBytesMax;
  private final int valueBytesMax;
  private final long stepsMax;
  private final int stepsBetween;

  private long stepsLeft;
  private long nanosUsed;
  private long bytesWritten;
  private @Nullable String spent;
  private int rows;

  // Whether the current step from one row to the next is measured.
  private boolean isSample;
  private boolean isClocked;
  private boolean wasAsked;
  private long startedNanos;
  private long lastNanos;
  private long startedBytes;
  private long filesNanos;
  private long stepsUntilClock;
  private long stepsUntilFiles;

  /**
   * @param statement the statement
   * @param plan of the statement
   * @param limits of the object
   * @param bindings its parameters; null for none
   * @param time for the time limit
   * @param interrupted whether its instance was reset
   * @throws dev.holdfast.backend.sqlite.words.SqlRefusedException if it may need more memory than
   *     it has, whatever its values are
   */
  public StatementRun(
      SqlStatement statement,
      StatementPlan plan,
      SqlLimits limits,
      @Nullable Object @Nullable [] bindings,
      TimeSource time,
      BooleanSupplier interrupted) {
    this.time = time;
    this.limits = limits;
    this.cost = plan.cost();
    this.interrupted = interrupted;
    // A statement that writes may write all pages of the database to the log.
    long ofDatabase = plan.writes() ? limits.databaseBytesMax() : 0;
    this.bytesMax =
        limits.temporaryBytesMax()
            + Math.min(ofDatabase, Long.MAX_VALUE - limits.temporaryBytesMax());
    // The schema is read and written as a table, whose values belong to the runtime.
    this.usualBytesMax =
        statement.changesSchema()
            ? ConnectionLimits.usualValueBytesMax(limits)
            : limits.valueBytesMax();
    this.valueBytesMax =
        plan.searches().valueBytesMax(cost.valueBytesMax(usualBytesMax, limits), limits, bindings);
    this.stepsMax = cost.stepsMax(limits);
    this.stepsLeft = stepsMax;
    int usual =
        cost.hasLongInstructions()
            ? SqliteBounds.STEPS_BETWEEN_LONG_ONES
            : SqliteBounds.STEPS_BETWEEN_QUESTIONS;
    this.stepsBetween = Math.min(usual, plan.stepsBetweenMax());
  }

  /** {@return how many bytes a value may have while the statement runs} */
  public int valueBytesMax() {
    return valueBytesMax;
  }

  /** {@return whether that is less than in other statements of its kind} */
  public boolean hasShorterValues() {
    return valueBytesMax < usualBytesMax;
  }

  /** {@return how many instructions have run, up to the last progress call} */
  public long stepsRun() {
    return stepsMax - stepsLeft;
  }

  /** {@return how many instructions may run between two progress calls} */
  public int stepsBetween() {
    return stepsBetween;
  }

  /** Called when the statement begins, or continues to its next row. */
  void goOn() {
    isClocked = false;
    wasAsked = false;
    stepsUntilClock = 0;
    isSample = stepsLeft < stepsMax && (++rows & (SqliteBounds.ROWS_PER_SAMPLE - 1)) == 0;
    if (isSample) {
      startClock();
    }
  }

  /** Called when it has ended, or stands on a row. */
  void rest() {
    if (!isClocked) {
      return;
    }
    if (isSample) {
      lastNanos = time.monotonicNanos();
    }
    // Short steps are sampled; all others are measured.
    int weight = isSample && !wasAsked ? SqliteBounds.ROWS_PER_SAMPLE : 1;
    nanosUsed += (lastNanos - startedNanos) * weight;
    if (cost.writesBetweenRows() && isSample) {
      bytesWritten += bytesOfStep() * weight;
    }
  }

  /**
   * {@return whether the statement must stop; called by the thread that runs it}
   *
   * @param steps how many instructions have run since the last call
   */
  boolean isSpent(long steps) {
    stepsLeft -= steps;
    wasAsked = true;
    if (stepsLeft < 0) {
      spent =
          "more than "
              + stepsMax
              + " instructions; see "
              + (stepsMax < limits.statementStepsMax()
                  ? "SqlLimits.memoryBytesMax, as it keeps a list of rows in memory"
                  : "SqlLimits.statementStepsMax");
      return true;
    }
    if (interrupted.getAsBoolean()) {
      return true;
    }
    stepsUntilClock -= steps;
    stepsUntilFiles -= steps;
    if (stepsUntilClock > 0 && !cost.hasLongInstructions()) {
      return false;
    }
    stepsUntilClock = SqliteBounds.STEPS_BETWEEN_CLOCKS;
    return isLate() || (cost.mayWriteFiles() && hasWrittenTooMuch());
  }

  /** {@return why it was stopped; null if not by its limits} */
  @Nullable String spent() {
    return spent;
  }

  private void startClock() {
    isClocked = true;
    startedNanos = time.monotonicNanos();
    lastNanos = startedNanos;
    filesNanos = startedNanos;
    stepsUntilFiles = SqliteBounds.STEPS_BETWEEN_FILES;
    // Without a sample, what ran before the first progress call took only microseconds.
    startedBytes =
        cost.writesBetweenRows() || (cost.mayWriteFiles() && !isSample) ? ThreadWrites.bytes() : 0;
  }

  private boolean isLate() {
    if (isClocked) {
      lastNanos = time.monotonicNanos();
    } else {
      startClock();
    }
    if ((nanosUsed + lastNanos - startedNanos) / 1_000_000 < limits.statementTimeMax().toMillis()) {
      return false;
    }
    spent = "longer than " + limits.statementTimeMax() + "; see SqlLimits.statementTimeMax";
    return true;
  }

  private boolean hasWrittenTooMuch() {
    boolean isDue =
        stepsUntilFiles <= 0 || lastNanos - filesNanos >= SqliteBounds.NANOS_BETWEEN_FILES;
    boolean isKnown = startedBytes > 0;
    if (isDue && isKnown) {
      stepsUntilFiles = SqliteBounds.STEPS_BETWEEN_FILES;
      filesNanos = lastNanos;
    }
    long written = bytesWritten + (isDue && isKnown ? bytesOfStep() : 0);
    if (written <= bytesMax) {
      return false;
    }
    spent = "more than " + bytesMax + " bytes of temporary files; see SqlLimits.temporaryBytesMax";
    return true;
  }

  private long bytesOfStep() {
    long now = ThreadWrites.bytes();
    return now == ThreadWrites.UNKNOWN ? 0 : now - startedBytes;
  }
}
