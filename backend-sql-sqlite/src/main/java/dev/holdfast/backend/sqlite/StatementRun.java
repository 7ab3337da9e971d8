package dev.holdfast.backend.sqlite;

import dev.holdfast.backend.sqlite.meter.ThreadWrites;
import dev.holdfast.backend.sqlite.sql.StatementCost;
import dev.holdfast.backend.sqlite.sql.StatementPlan;
import dev.holdfast.spi.TimeSource;
import dev.holdfast.sql.SqlLimits;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One execution of a statement of the application: what it may still use, over all its rows. Owned
 * by the object's turn; while the statement runs, by the thread that runs it.
 */
final class StatementRun {

  /** The clock is read, and files are looked at, after as many instructions. */
  private static final long STEPS_BETWEEN_CLOCKS = 2_048;

  /** Files are looked at after as many instructions, or so many nanoseconds: it takes some ten. */
  private static final long STEPS_BETWEEN_FILES = 65_536;

  private static final long NANOS_BETWEEN_FILES = 5_000_000;

  private final TimeSource time;
  private final SqlLimits limits;
  private final StatementCost cost;
  private final BooleanSupplier interrupted;
  private final long bytesMax;
  private final int valueBytesMax;
  private final long stepsMax;

  private long stepsLeft;
  private long nanosUsed;
  private long bytesWritten;
  private @Nullable String spent;

  // Of the step from one row to the next that is under way.
  private boolean isClocked;
  private long startedNanos;
  private long stepsUntilClock;
  private long bytesAtStart;
  private long fileNanos;
  private long stepsUntilFiles;

  /**
   * @param time what the statement's time is measured with
   * @param limits of the object
   * @param plan of the statement
   * @param interrupted whether the instance was reset
   * @throws dev.holdfast.backend.sqlite.sql.SqlRefusedException if it may need more memory than it
   *     has, whatever its values are
   */
  StatementRun(TimeSource time, SqlLimits limits, StatementPlan plan, BooleanSupplier interrupted) {
    this.time = time;
    this.limits = limits;
    this.cost = plan.cost();
    this.interrupted = interrupted;
    // One that writes may write all pages of the database to the log.
    this.bytesMax = limits.temporaryBytesMax() + (plan.writes() ? limits.databaseBytesMax() : 0);
    this.valueBytesMax = cost.valueBytesMax(limits);
    this.stepsMax = cost.stepsMax(limits);
    this.stepsLeft = stepsMax;
  }

  /** {@return how many bytes a value may have while it runs} */
  int valueBytesMax() {
    return valueBytesMax;
  }

  /** {@return whether that is less than in other statements of the object} */
  boolean hasShorterValues() {
    return valueBytesMax < limits.valueBytesMax();
  }

  /** {@return how many instructions have run, as far as SQLite has asked} */
  long stepsRun() {
    return stepsMax - stepsLeft;
  }

  /** {@return whether SQLite shall ask more often than usual} */
  boolean hasLongInstructions() {
    return cost.hasLongInstructions();
  }

  /** The statement begins, or goes on to its next row. */
  void goOn() {
    isClocked = false;
    stepsUntilClock = 0;
  }

  /**
   * {@return whether it shall be stopped; asked by the thread that runs it}
   *
   * @param steps how many instructions have run since this was last asked
   */
  boolean isSpent(long steps) {
    stepsLeft -= steps;
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
    stepsUntilClock = STEPS_BETWEEN_CLOCKS;
    return isLate() || (cost.mayWriteFiles() && hasWrittenTooMuch());
  }

  /** {@return why it was stopped; null if not by its limits} */
  @Nullable String spent() {
    return spent;
  }

  private boolean isLate() {
    long now = time.monotonicNanos();
    if (!isClocked) {
      isClocked = true;
      // What ran before SQLite asked for the first time was some microseconds.
      startedNanos = now - nanosUsed;
      fileNanos = now;
      bytesAtStart = cost.mayWriteFiles() ? ThreadWrites.bytes() - bytesWritten : 0;
      stepsUntilFiles = STEPS_BETWEEN_FILES;
      return false;
    }
    nanosUsed = now - startedNanos;
    if (nanosUsed / 1_000_000 < limits.statementTimeMax().toMillis()) {
      return false;
    }
    spent = "longer than " + limits.statementTimeMax() + "; see SqlLimits.statementTimeMax";
    return true;
  }

  private boolean hasWrittenTooMuch() {
    long now = startedNanos + nanosUsed;
    if (stepsUntilFiles > 0 && now - fileNanos < NANOS_BETWEEN_FILES) {
      return false;
    }
    stepsUntilFiles = STEPS_BETWEEN_FILES;
    fileNanos = now;
    long bytes = ThreadWrites.bytes();
    if (bytes == ThreadWrites.UNKNOWN) {
      return false;
    }
    bytesWritten = bytes - bytesAtStart;
    if (bytesWritten <= bytesMax) {
      return false;
    }
    spent = "more than " + bytesMax + " bytes of temporary files; see SqlLimits.temporaryBytesMax";
    return true;
  }
}
