package dev.holdfast.backend.sqlite.turn;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import dev.holdfast.backend.sqlite.meter.RowCounter;
import dev.holdfast.spi.SqlRows;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a statement that writes and returns rows. They are read at once, so that no open
 * statement keeps the turn from committing. To the reader they are a cursor like any other.
 * Confined to the thread that runs the turn.
 */
final class BufferedRows implements SqlRows, OpenCursors.Cursor {

  private final SqliteTurn turn;
  private final List<String> columnNames;
  private final RowCounter counter;
  private final Queue<@Nullable Object[]> rows = new ArrayDeque<>();
  private @Nullable String endedBecause;

  BufferedRows(SqliteTurn turn, List<String> columnNames, RowCounter counter) {
    this.turn = turn;
    this.columnNames = columnNames;
    this.counter = counter;
  }

  /**
   * Takes all rows of a statement that stands on its first row.
   *
   * @param bytesMax how much memory they may take
   * @return false if they would take more; the statement has not ended then
   */
  boolean take(SqliteStatement prepared, long bytesMax) throws SqliteException {
    long bytes = 0;
    do {
      @Nullable Object[] values = new @Nullable Object[columnNames.size()];
      prepared.values(values);
      bytes += SqlRows.bytesOf(values);
      if (bytes > bytesMax) {
        rows.clear();
        return false;
      }
      rows.add(values);
      counter.row();
    } while (prepared.step());
    return true;
  }

  @Override
  public List<String> columnNames() {
    return columnNames;
  }

  @Override
  public @Nullable Object @Nullable [] next() {
    @Nullable Object[] row = rows.poll();
    if (row == null && endedBecause != null) {
      throw turn.database().errors().sql(endedBecause);
    }
    return row;
  }

  @Override
  public long rowsRead() {
    return turn.rowsRead(counter);
  }

  @Override
  public long rowsWritten() {
    return counter.rowsWritten();
  }

  @Override
  public boolean isOpen() {
    return !rows.isEmpty();
  }

  @Override
  public long keep(long bytesMax) {
    long bytes = 0;
    for (@Nullable Object[] row : rows) {
      bytes += SqlRows.bytesOf(row);
    }
    if (bytes <= bytesMax) {
      return bytes;
    }
    end(OpenCursors.TOO_MUCH_TO_KEEP);
    return 0;
  }

  @Override
  public void end(String reason) {
    if (isOpen()) {
      close();
      endedBecause = reason;
    }
  }

  @Override
  public void close() {
    rows.clear();
  }
}
