package dev.holdfast.backend.sqlite.turn;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import dev.holdfast.backend.sqlite.binding.StatementCache;
import dev.holdfast.backend.sqlite.database.StatementRun;
import dev.holdfast.backend.sqlite.meter.RowCounter;
import dev.holdfast.backend.sqlite.sql.StatementPlan;
import dev.holdfast.spi.SqlRows;
import dev.holdfast.spi.statistics.StorageEvents;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a statement that reads, read from it one by one. Confined to the thread that runs the
 * turn.
 */
final class StatementRows implements SqlRows, OpenCursors.Cursor {

  /** The tables that the statement reads were changed, and a rollback has reverted the change. */
  private static final int SQLITE_ABORT = 4;

  private final StatementCache cache;
  private final SqliteTurn turn;
  private final String sql;
  private final List<String> columnNames;
  private final boolean hasOneRowAtMost;
  private final boolean readsVirtual;
  private final RowCounter counter;
  private final StatementRun run;
  private final boolean continuesShort;
  private final StepRunner steps;

  /** Null when the rows have ended, or were all read ahead. */
  private @Nullable SqliteStatement running;

  /** Whether the statement stands on a row that was not yet returned. */
  private boolean isAhead = true;

  /** Rows read ahead of a wait; null as long as there was none. */
  private @Nullable Queue<@Nullable Object[]> kept;

  private @Nullable String endedBecause;

  /**
   * @param source where the statement goes when it has ended
   * @param metered the plan, the limits and the counts of the rows
   * @param running on its first row; null if there is none
   */
  StatementRows(Source source, Metered metered, @Nullable SqliteStatement running)
      throws SqliteException {
    this.cache = source.cache();
    this.turn = source.turn();
    this.sql = source.sql();
    this.columnNames = metered.columnNames();
    this.hasOneRowAtMost = metered.plan().hasOneRowAtMost();
    this.readsVirtual = metered.plan().readsVirtual();
    this.counter = metered.counter();
    this.run = metered.run();
    this.continuesShort = metered.plan().cost().continuesShort();
    this.steps = source.steps();
    this.running = running;
    if (running == null) {
      counter.done();
    } else {
      counter.row();
    }
  }

  /** Where rows come from. */
  record Source(SqliteTurn turn, StepRunner steps, StatementCache cache, String sql) {}

  /**
   * How rows are limited and counted.
   *
   * @param plan whether there may be a second row, which has to be looked for
   * @param run what the statement may still use: the limits apply to the statement, not to a row;
   *     an endless statement returns rows, too
   */
  record Metered(
      List<String> columnNames, StatementPlan plan, RowCounter counter, StatementRun run) {}

  @Override
  public List<String> columnNames() {
    return columnNames;
  }

  @Override
  public @Nullable Object @Nullable [] next() {
    Queue<@Nullable Object[]> taken = kept;
    if (taken != null && !taken.isEmpty()) {
      return taken.poll();
    }
    if (endedBecause != null) {
      throw turn.database().errors().sql(endedBecause);
    }
    try {
      return take();
    } catch (SqliteException e) {
      if (wasRolledBack(e)) {
        throw turn.database().errors().sql(OpenCursors.ROLLED_BACK);
      }
      close();
      counter.stopped(true);
      throw turn.failed("Reading rows", e);
    }
  }

  /** Ends the cursor if a rollback is why the statement cannot continue. */
  private boolean wasRolledBack(SqliteException e) {
    if (e.primaryCode() != SQLITE_ABORT) {
      return false;
    }
    end(OpenCursors.ROLLED_BACK);
    return true;
  }

  /** Reads the next row of the statement; null if there is none. */
  private @Nullable Object @Nullable [] take() throws SqliteException {
    SqliteStatement statement = running;
    if (statement == null) {
      return null;
    }
    if (isAhead) {
      isAhead = false;
    } else if (!hasOneRowAtMost && step(statement)) {
      counter.row();
    } else {
      close();
      counter.done();
      return null;
    }
    return row(statement);
  }

  private boolean step(SqliteStatement statement) throws SqliteException {
    // The program bounds the time of a short step: only the others can be slow.
    StorageEvents.Statement event = continuesShort ? null : turn.services().events().statement();
    try {
      return steps.run(run, continuesShort, statement::step);
    } finally {
      if (event != null) {
        event.end(turn.database().key(), sql);
      }
    }
  }

  @Override
  public void close() {
    if (running != null) {
      cache.giveBack(sql, running);
      running = null;
    }
  }

  @Override
  public boolean isOpen() {
    return running != null;
  }

  @Override
  public void end(String reason) {
    if (running != null) {
      close();
      endedBecause = reason;
      // After a reset the number is of no interest, and counting a large table takes long.
      counter.stopped(!turn.interruption().getAsBoolean());
    }
  }

  /**
   * SQLite lets the statement continue with the remaining rows, unless the tables themselves
   * changed. But SQLite does not track what a virtual table has in memory: FTS5 would return rows
   * that are gone, or report missing rows as damage, as R-trees do.
   */
  @Override
  public boolean endsWithRollback(String reason) {
    if (readsVirtual) {
      end(reason);
    }
    return running == null;
  }

  @Override
  public long keep(long bytesMax) throws SqliteException {
    Queue<@Nullable Object[]> taken = new ArrayDeque<>();
    long bytes = 0;
    try {
      while (running != null && bytes <= bytesMax) {
        @Nullable Object[] row = take();
        if (row != null) {
          taken.add(row);
          bytes += SqlRows.bytesOf(row);
        }
      }
    } catch (SqliteException e) {
      if (!wasRolledBack(e)) {
        throw e;
      }
    }
    kept = taken;
    if (running != null) {
      end(OpenCursors.TOO_MUCH_TO_KEEP);
    }
    return bytes;
  }

  @Override
  public long rowsRead() {
    return turn.rowsRead(counter);
  }

  @Override
  public long rowsWritten() {
    return counter.rowsWritten();
  }

  private @Nullable Object[] row(SqliteStatement statement) throws SqliteException {
    @Nullable Object[] values = new @Nullable Object[columnNames.size()];
    statement.values(values);
    return values;
  }
}
