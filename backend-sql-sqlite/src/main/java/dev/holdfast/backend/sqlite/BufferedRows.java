package dev.holdfast.backend.sqlite;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.spi.SqlRows;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a statement that writes and returns rows. SQLite holds them in memory anyhow; taken
 * at once, they leave no statement open that would keep the turn from committing. Owned by the
 * thread that runs the turn.
 */
final class BufferedRows implements SqlRows {

  private final List<String> columnNames;
  private final Queue<@Nullable Object[]> rows;
  private final StatementMeter meter;
  private long rowsRead;

  BufferedRows(List<String> columnNames, List<@Nullable Object[]> rows, StatementMeter meter) {
    this.columnNames = columnNames;
    this.rows = new ArrayDeque<>(rows);
    this.meter = meter;
    rows.forEach(_ -> meter.row());
  }

  @Override
  public List<String> columnNames() {
    return columnNames;
  }

  @Override
  public @Nullable Object @Nullable [] next() {
    return rows.poll();
  }

  /** Asked while the statement ran: afterwards its tables are others. */
  BufferedRows counted() throws SqliteException {
    rowsRead = meter.rowsRead();
    return this;
  }

  @Override
  public long rowsRead() {
    return rowsRead;
  }

  @Override
  public long rowsWritten() {
    return meter.rowsWritten();
  }

  @Override
  public void close() {
    rows.clear();
  }
}
