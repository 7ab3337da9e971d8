package dev.holdfast.backend.sqlite.turn;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.database.KeyValueTable.ScanStatement;
import dev.holdfast.spi.StoreScan;
import org.jspecify.annotations.Nullable;

/** A running scan of the hidden table. Confined to the thread that runs the turn. */
final class KeyValueScan implements StoreScan, OpenCursors.Cursor {

  private final SqliteTurn turn;

  /** Null when the scan has ended. */
  private @Nullable ScanStatement running;

  /** Whether the statement stands on a pair that {@link #next} has not yet moved to. */
  private boolean isAhead = true;

  private @Nullable String endedBecause;

  /**
   * @param running on its first row; null for an empty scan
   */
  KeyValueScan(SqliteTurn turn, @Nullable ScanStatement running) {
    this.turn = turn;
    this.running = running;
  }

  @Override
  public boolean next() {
    if (endedBecause != null) {
      throw new IllegalStateException(endedBecause);
    }
    if (running == null) {
      return false;
    }
    if (isAhead) {
      isAhead = false;
      return true;
    }
    try {
      if (running.statement().step()) {
        return true;
      }
    } catch (SqliteException e) {
      close();
      throw turn.failed("Listing values", e);
    }
    close();
    return false;
  }

  @Override
  public byte[] key() {
    return bytes(0);
  }

  @Override
  public byte[] value() {
    return bytes(1);
  }

  @Override
  public void close() {
    if (running != null) {
      running.giveBack();
      running = null;
      turn.forget(this);
    }
  }

  @Override
  public boolean isOpen() {
    return running != null;
  }

  @Override
  public void end(String reason) {
    if (running != null) {
      running.giveBack();
      running = null;
    }
    endedBecause = reason;
  }

  private byte[] bytes(int column) {
    if (running == null || isAhead) {
      throw new IllegalStateException("The scan is on no pair.");
    }
    try {
      return running.statement().bytes(column);
    } catch (SqliteException e) {
      throw turn.failed("Listing values", e);
    }
  }
}
