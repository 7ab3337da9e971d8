package dev.holdfast.testkit;

import dev.holdfast.spi.HistoryCursor;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecordVisitor;
import java.util.List;
import java.util.function.LongPredicate;

/** The history of an {@link InMemoryJournal}: every record that it has. Thread-safe. */
public final class InMemoryHistory implements JournalHistory {

  private final InMemoryJournal journal;

  /**
   * Creates the history of a journal.
   *
   * @param journal the journal
   */
  public InMemoryHistory(InMemoryJournal journal) {
    this.journal = journal;
  }

  @Override
  public long oldestPosition() {
    return journal.firstPosition();
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
    return newestFirst(key, fromPosition, oldestPosition());
  }

  /**
   * Returns the records of an object, as if those before a position had been dropped.
   *
   * @param key the object
   * @param fromPosition where to begin
   * @param oldestPosition the last position that may be returned
   * @return the records, newest first
   * @throws IllegalStateException if the journal is {@linkplain InMemoryJournal#forgetful
   *     forgetful}
   */
  public HistoryCursor newestFirst(ObjectKey key, long fromPosition, long oldestPosition) {
    return newestFirst(key, fromPosition, oldestPosition, _ -> true);
  }

  /**
   * Returns the records of an object, as {@link #newestFirst(ObjectKey, long, long)}, without some
   * of them: as a damaged journal would.
   *
   * @param key the object
   * @param fromPosition where to begin
   * @param oldestPosition the last position that may be returned
   * @param kept whether there is still a record at a position
   * @return the records, newest first
   * @throws IllegalStateException if the journal is {@linkplain InMemoryJournal#forgetful
   *     forgetful}
   */
  public HistoryCursor newestFirst(
      ObjectKey key, long fromPosition, long oldestPosition, LongPredicate kept) {
    return new Cursor(
        journal.records().reversed().stream()
            .filter(each -> each.key().equals(key))
            .filter(each -> each.position() <= fromPosition)
            .filter(each -> each.position() >= oldestPosition)
            .filter(each -> kept.test(each.position()))
            .toList());
  }

  @Override
  public void forEach(long fromPosition, long toPosition, RecordVisitor visitor) {
    journal.records().stream()
        .filter(each -> each.position() >= fromPosition && each.position() <= toPosition)
        .forEach(visitor::visit);
  }

  @Override
  public JournalHistory.Reader reader() {
    return (position, bytesMax, wanted, visitor) -> {
      long end = journal.durablePosition();
      long next = position;
      long bytes = 0;
      for (JournalRecord record : journal.records()) {
        if (record.position() >= position && record.position() <= end && bytes <= bytesMax) {
          bytes += record.payload().remaining();
          next = record.position() + 1;
          if (wanted.includes(record.viewId(), record.kind())) {
            visitor.visit(record);
          }
        }
      }
      return next;
    };
  }

  @Override
  public long bytesFrom(long position) {
    return journal.records().stream()
        .filter(record -> record.position() >= position)
        .mapToLong(record -> record.payload().remaining())
        .sum();
  }

  @Override
  public long journalId() {
    return journal.journalId();
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
    public ChainLink link() {
      return read().requireLink();
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
