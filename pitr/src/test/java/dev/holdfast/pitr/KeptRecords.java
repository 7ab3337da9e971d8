package dev.holdfast.pitr;

import dev.holdfast.spi.HistoryCursor;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.testkit.InMemoryJournal;
import java.util.List;

/**
 * The history of a journal in memory, except records that the test removes. Confined to one thread.
 */
final class KeptRecords implements JournalHistory {

  static final long JOURNAL_ID = 7;

  long oldestPosition = 1;

  /** Called before each read of the history. */
  Runnable onLook = () -> {};

  private final InMemoryJournal journal;

  KeptRecords(InMemoryJournal journal) {
    this.journal = journal;
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
    List<JournalRecord> kept =
        journal.records().reversed().stream()
            .filter(each -> each.key().equals(key))
            .filter(each -> each.position() <= fromPosition)
            .filter(each -> each.position() >= oldestPosition)
            .toList();
    return new Cursor(kept);
  }

  @Override
  public long journalId() {
    return JOURNAL_ID;
  }

  @Override
  public long bytes() {
    return 0;
  }

  private static final class Cursor implements HistoryCursor {

    private final List<JournalRecord> records;
    private int at = -1;

    Cursor(List<JournalRecord> records) {
      this.records = records;
    }

    @Override
    public boolean next() {
      at++;
      return at < records.size();
    }

    @Override
    public long position() {
      return read().position();
    }

    @Override
    public long wallMillis() {
      return read().wallMillis();
    }

    @Override
    public RecordKind kind() {
      return read().kind();
    }

    @Override
    public int viewId() {
      return read().viewId();
    }

    @Override
    public int payloadBytes() {
      return read().payload().remaining();
    }

    @Override
    public JournalRecord read() {
      return records.get(at);
    }

    @Override
    public void close() {}
  }
}
