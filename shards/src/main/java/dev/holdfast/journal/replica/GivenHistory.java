package dev.holdfast.journal.replica;

import dev.holdfast.journal.file.SegmentHistory;
import dev.holdfast.spi.HistoryCursor;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecordVisitor;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * The history that a shard gives on every node alike, whatever older segments a node still has.
 * Thread-safe.
 */
public final class GivenHistory implements JournalHistory {

  private final SegmentHistory all;
  private final LongSupplier from;

  /**
   * @param from the position from which on history is given, the first of a segment; never
   *     decreases
   */
  public GivenHistory(SegmentHistory all, LongSupplier from) {
    this.all = all;
    this.from = from;
  }

  @Override
  public long oldestPosition() {
    return Math.max(all.oldestPosition(), from.getAsLong());
  }

  @Override
  public long oldestWallMillis() {
    return all.oldestWallMillis(from.getAsLong());
  }

  @Override
  public long positionAt(long wallMillis) {
    return Math.max(all.positionAt(wallMillis), oldestPosition() - 1);
  }

  @Override
  public HistoryCursor newestFirst(ObjectKey key, long fromPosition) {
    return new Given(all.newestFirst(key, fromPosition));
  }

  @Override
  public long[] lastChanges(List<ObjectKey> keys) {
    return all.lastChanges(keys, from.getAsLong());
  }

  @Override
  public void forEach(long fromPosition, long toPosition, RecordVisitor visitor) {
    all.forEach(Math.max(fromPosition, from.getAsLong()), toPosition, visitor);
  }

  @Override
  public Reader reader() {
    Reader reader = all.reader();
    return (position, bytesMax, wanted, visitor) ->
        position < from.getAsLong() ? position : reader.read(position, bytesMax, wanted, visitor);
  }

  @Override
  public long bytesFrom(long position) {
    return all.bytesFrom(position);
  }

  @Override
  public long journalId() {
    return all.journalId();
  }

  /** {@return what the segments of this node take, also those that are not given any more} */
  @Override
  public long bytes() {
    return all.bytes();
  }

  /** The records of an object, down to the first that is given. */
  private final class Given implements HistoryCursor {

    private final HistoryCursor records;

    Given(HistoryCursor records) {
      this.records = records;
    }

    @Override
    public boolean next() {
      return records.next() && records.position() >= from.getAsLong();
    }

    @Override
    public long position() {
      return records.position();
    }

    @Override
    public long wallMillis() {
      return records.wallMillis();
    }

    @Override
    public RecordKind kind() {
      return records.kind();
    }

    @Override
    public int viewId() {
      return records.viewId();
    }

    @Override
    public ChainLink link() {
      return records.link();
    }

    @Override
    public int payloadBytes() {
      return records.payloadBytes();
    }

    @Override
    public JournalRecord read() {
      return records.read();
    }

    @Override
    public void close() {
      records.close();
    }
  }
}
