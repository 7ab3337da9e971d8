package dev.holdfast.journal.shard;

import dev.holdfast.journal.file.SegmentHistory;
import dev.holdfast.spi.HistoryCursor;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecordVisitor;
import dev.holdfast.spi.RecoveryLog;

/**
 * The records of a shard, as they matter to the files of this node: without the checkpoints of
 * other nodes, which describe files that this one does not have. Thread-safe.
 */
final class ShardRecoveryLog implements RecoveryLog {

  private final SegmentHistory history;
  private final long lowWaterMark;
  private final long lastPosition;
  private final OwnedPositions owned;

  /**
   * @param lastPosition the last record of the earlier ownerships
   */
  ShardRecoveryLog(
      SegmentHistory history, long lowWaterMark, long lastPosition, OwnedPositions owned) {
    this.history = history;
    this.lowWaterMark = lowWaterMark;
    this.lastPosition = lastPosition;
    this.owned = owned;
  }

  @Override
  public long firstPosition() {
    return lowWaterMark;
  }

  @Override
  public long oldestPosition() {
    return Math.min(history.oldestPosition(), lowWaterMark);
  }

  @Override
  public long journalId() {
    return history.journalId();
  }

  @Override
  public void forEach(RecordVisitor visitor) {
    forEachFrom(lowWaterMark, visitor);
  }

  @Override
  public void forEachFrom(long position, RecordVisitor visitor) {
    history.forEach(position, lastPosition, own(visitor));
  }

  /** {@return the history without the same records} */
  JournalHistory history() {
    return new OwnHistory();
  }

  private RecordVisitor own(RecordVisitor visitor) {
    return record -> {
      if (!isForeign(record.kind(), record.viewId(), record.position())) {
        visitor.visit(record);
      }
    };
  }

  /** Records of events are no checkpoints of files, though they have the same kind. */
  private boolean isForeign(RecordKind kind, int viewId, long position) {
    return kind == RecordKind.CHECKPOINT
        && viewId != Journal.EVENTS_VIEW_ID
        && position <= lastPosition // later ones are of this ownership
        && !owned.contains(position);
  }

  /** Reads of the past that end with the view of this node. */
  private final class OwnHistory implements JournalHistory {

    @Override
    public long oldestPosition() {
      return history.oldestPosition();
    }

    @Override
    public long oldestWallMillis() {
      return history.oldestWallMillis();
    }

    @Override
    public long positionAt(long wallMillis) {
      return history.positionAt(wallMillis);
    }

    @Override
    public HistoryCursor newestFirst(ObjectKey key, long fromPosition) {
      return new OwnCursor(history.newestFirst(key, fromPosition));
    }

    @Override
    public void forEach(long fromPosition, long toPosition, RecordVisitor visitor) {
      history.forEach(fromPosition, toPosition, own(visitor));
    }

    @Override
    public Reader reader() {
      Reader all = history.reader();
      return (position, bytesMax, wanted, visitor) ->
          all.read(position, bytesMax, wanted, own(visitor));
    }

    @Override
    public long bytesFrom(long position) {
      return history.bytesFrom(position);
    }

    @Override
    public long journalId() {
      return history.journalId();
    }

    @Override
    public long bytes() {
      return history.bytes();
    }
  }

  private final class OwnCursor implements HistoryCursor {

    private final HistoryCursor all;

    OwnCursor(HistoryCursor all) {
      this.all = all;
    }

    @Override
    public boolean next() {
      boolean has = all.next();
      while (has && isForeign(all.kind(), all.viewId(), all.position())) {
        has = all.next();
      }
      return has;
    }

    @Override
    public long position() {
      return all.position();
    }

    @Override
    public long wallMillis() {
      return all.wallMillis();
    }

    @Override
    public RecordKind kind() {
      return all.kind();
    }

    @Override
    public int viewId() {
      return all.viewId();
    }

    @Override
    public int payloadBytes() {
      return all.payloadBytes();
    }

    @Override
    public JournalRecord read() {
      return all.read();
    }

    @Override
    public void close() {
      all.close();
    }
  }
}
