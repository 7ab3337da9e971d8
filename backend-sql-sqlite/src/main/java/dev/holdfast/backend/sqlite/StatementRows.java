package dev.holdfast.backend.sqlite;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import dev.holdfast.spi.SqlRows;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a statement that reads, taken from it one by one. Owned by the thread that runs the
 * turn.
 */
final class StatementRows implements SqlRows, OpenCursors.Cursor {

  private final StatementCache cache;
  private final SqliteTurn turn;
  private final String sql;
  private final List<String> columnNames;

  /** Null when the rows have ended. */
  private @Nullable SqliteStatement running;

  /** Whether the statement stands on a row that was not yet returned. */
  private boolean isAhead = true;

  private @Nullable String endedBecause;

  /**
   * @param source where the statement goes when it has ended
   * @param running on its first row; null if there is none
   */
  StatementRows(Source source, List<String> columnNames, @Nullable SqliteStatement running) {
    this.cache = source.cache();
    this.turn = source.turn();
    this.sql = source.sql();
    this.columnNames = columnNames;
    this.running = running;
  }

  /** Where rows come from. */
  record Source(SqliteTurn turn, StatementCache cache, String sql) {}

  @Override
  public List<String> columnNames() {
    return columnNames;
  }

  @Override
  public @Nullable Object @Nullable [] next() {
    if (endedBecause != null) {
      throw turn.database().errors().sql(endedBecause);
    }
    SqliteStatement statement = running;
    if (statement == null) {
      return null;
    }
    try {
      if (!isAhead && !statement.step()) {
        close();
        return null;
      }
      isAhead = false;
      return row(statement);
    } catch (SqliteException e) {
      close();
      throw turn.failed("Reading rows", e);
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
    }
  }

  private @Nullable Object[] row(SqliteStatement statement) throws SqliteException {
    @Nullable Object[] values = new @Nullable Object[columnNames.size()];
    for (int column = 0; column < values.length; column++) {
      values[column] = statement.value(column);
    }
    return values;
  }
}
