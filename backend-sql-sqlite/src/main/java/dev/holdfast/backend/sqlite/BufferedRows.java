package dev.holdfast.backend.sqlite;

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

  BufferedRows(List<String> columnNames, List<@Nullable Object[]> rows, StatementMeter meter) {
    this.columnNames = columnNames;
    this.rows = new ArrayDeque<>(rows);
    this.meter = meter;
  }

  @Override
  public List<String> columnNames() {
    return columnNames;
  }

  @Override
  public @Nullable Object @Nullable [] next() {
    return rows.poll();
  }

  @Override
  public long rowsRead() {
    return meter.rowsRead();
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
