package dev.holdfast.pitr;

import dev.holdfast.spi.HistoryCursor;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordVisitor;
import dev.holdfast.testkit.InMemoryHistory;
import dev.holdfast.testkit.InMemoryJournal;

/**
 * The history of a journal in memory, except records that the test removes. Confined to one thread.
 */
class KeptRecords implements JournalHistory {

  static final long JOURNAL_ID = 7;

  long oldestPosition = 1;

  /** Called before each read of the history. */
  Runnable onLook = () -> {};

  private final InMemoryHistory history;

  KeptRecords(InMemoryJournal journal) {
    history = new InMemoryHistory(journal);
  }

  @Override
  public long oldestPosition() {
    return oldestPosition;
  }

  @Override
  public long oldestWallMillis() {
    return 0;
  }

  @Override
  public long positionAt(long wallMillis) {
    return 0;
  }

  @Override
  public HistoryCursor newestFirst(ObjectKey key, long fromPosition) {
    onLook.run();
    return history.newestFirst(key, fromPosition, oldestPosition);
  }

  @Override
  public void forEach(long fromPosition, long toPosition, RecordVisitor visitor) {
    history.forEach(Math.max(fromPosition, oldestPosition), toPosition, visitor);
  }

  @Override
  public JournalHistory.Reader reader() {
    return history.reader();
  }

  @Override
  public long bytesFrom(long position) {
    return history.bytesFrom(position);
  }

  @Override
  public long journalId() {
    return JOURNAL_ID;
  }

  @Override
  public long bytes() {
    return 0;
  }
}
