package dev.holdfast.backend.sqlite.database;

import dev.holdfast.backend.sqlite.binding.SqliteBounds;
import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLimit;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import dev.holdfast.backend.sqlite.binding.SqliteStatements;
import dev.holdfast.backend.sqlite.program.CostFinder;
import dev.holdfast.backend.sqlite.program.Program;
import dev.holdfast.backend.sqlite.words.SqlRefusedException;
import dev.holdfast.sql.SqlLimits;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Statements of ours that run expressions of others: a check or a copy of a file evaluates its
 * CHECKs, generated columns and indexes. Each statement is explained first. What its program calls
 * bounds its values, so that no instruction takes long; all statements together run a number of
 * instructions that grows with the file, and stop when they are interrupted.
 *
 * <p>Confined to the holder of the connection.
 */
public final class BoundedStatements implements SqliteStatements {

  private static final int SQLITE_NOMEM = 7;
  private static final int SQLITE_INTERRUPT = 9;
  private static final int SQLITE_TOOBIG = 18;

  private final SqliteConnection connection;
  private final SqlLimits limits;
  private final BooleanSupplier interrupted;
  private final LongSupplier nanos;
  private final long nanosMax;
  private final int usualBytesMax;
  private final long begun;
  private int valueBytesMax;
  private long stepsLeft;
  private @Nullable String spent;

  /**
   * Bounds the statements of a connection, which has no other progress handler.
   *
   * @param connection the connection
   * @param limits the limits of the object
   * @param fileBytes the size of the file
   * @param interrupted whether the caller waits no more; asked by the thread that runs a statement
   * @param nanos a monotonic clock
   */
  public BoundedStatements(
      SqliteConnection connection,
      SqlLimits limits,
      long fileBytes,
      BooleanSupplier interrupted,
      LongSupplier nanos)
      throws SqliteException {
    this.connection = connection;
    this.limits = limits;
    this.interrupted = interrupted;
    this.nanos = nanos;
    this.begun = nanos.getAsLong();
    this.nanosMax = limits.statementTimeMax().multipliedBy(1 + (fileBytes >> 20)).toNanos();
    // No value of a small file is long, unless an expression makes it from nothing.
    long ofFile =
        Math.max(SqliteBounds.OWN_VALUE_BYTES_MAX, fileBytes * SqliteBounds.VALUES_PER_FILE);
    this.usualBytesMax = (int) Math.min(ConnectionLimits.usualValueBytesMax(limits), ofFile);
    this.valueBytesMax = usualBytesMax;
    long ofBytes = fileBytes * SqliteBounds.FILE_STEPS_PER_BYTE;
    this.stepsLeft = ofBytes + Math.min(limits.statementStepsMax(), Long.MAX_VALUE - ofBytes);
    connection.onProgress(SqliteBounds.STEPS_BETWEEN_FILE_QUESTIONS, this::mustStop);
  }

  private boolean mustStop() {
    stepsLeft -= SqliteBounds.STEPS_BETWEEN_FILE_QUESTIONS;
    if (stepsLeft < 0) {
      spent =
          "more instructions than SqlLimits.statementStepsMax, and "
              + SqliteBounds.FILE_STEPS_PER_BYTE
              + " for each byte of the file";
    } else if (nanos.getAsLong() - begun > nanosMax) {
      spent = "longer than SqlLimits.statementTimeMax for each begun mebibyte of it";
    }
    return spent != null || interrupted.getAsBoolean();
  }

  /** {@inheritDoc} One at a time. */
  @Override
  public SqliteStatement take(String sql) throws SqliteException {
    try {
      Duration longest = limits.statementTimeMax().dividedBy(SqliteBounds.INSTRUCTION_TIME_PART);
      valueBytesMax =
          CostFinder.of(Program.of(connection, sql))
              .valueBytesMax(usualBytesMax, limits.memoryBytesMax(), longest);
    } catch (SqlRefusedException e) {
      throw new SqliteException(SQLITE_TOOBIG, "SQLITE_TOOBIG", e.text(), e);
    }
    connection.limit(SqliteLimit.LENGTH, valueBytesMax);
    return connection.prepare(sql);
  }

  @Override
  public void giveBack(String sql, SqliteStatement statement) {
    statement.close();
  }

  /** {@return whether a bound has ended a statement that nobody interrupted} */
  public boolean hasStopped(SqliteException e) {
    return e.primaryCode() == SQLITE_TOOBIG
        || (e.primaryCode() == SQLITE_INTERRUPT && spent != null);
  }

  /** {@return why a bound has ended a statement, and what to do; null if none has} */
  public @Nullable String bounded(SqliteException e) {
    if (e.primaryCode() == SQLITE_INTERRUPT) {
      return spent == null
          ? "the object was reset meanwhile; call it again"
          : "the expressions of its tables take "
              + spent
              + "; drop its longest checks, generated columns and indexes on expressions";
    }
    if (e.primaryCode() == SQLITE_TOOBIG) {
      return "the expressions of its tables, or its rows, are longer than "
          + valueBytesMax
          + " bytes, the most with which they end in time; shorten them, drop the checks, generated"
          + " columns and indexes that call trim, replace, instr or json_patch, or see"
          + " SqlLimits.valueBytesMax, statementTimeMax and memoryBytesMax";
    }
    if (e.primaryCode() == SQLITE_NOMEM) {
      return "the expressions of its tables have too many instructions, as generated columns have"
          + " that name one another often; shorten them";
    }
    return null;
  }
}
