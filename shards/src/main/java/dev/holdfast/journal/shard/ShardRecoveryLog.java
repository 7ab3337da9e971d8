package dev.holdfast.journal.shard;

import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.journal.file.SegmentHistory;
import dev.holdfast.journal.replica.Bases;
import dev.holdfast.journal.replica.LocalRecord;
import dev.holdfast.journal.replica.OwnedPositions;
import dev.holdfast.spi.HistoryCursor;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecordVisitor;
import dev.holdfast.spi.RecoveryLog;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The records of a shard, as they matter to the files of this node: without the checkpoints of
 * other nodes, which describe files that this one does not have, and with what its own views have
 * recorded in rounds. Thread-safe.
 */
final class ShardRecoveryLog implements RecoveryLog {

  private final SegmentHistory history;
  private final long lowWaterMark;
  private final long lastPosition;
  private final OwnedPositions owned;
  private final List<LocalRecord> local;

  /** Whether the history ends with the last record; otherwise the later ones are own ones. */
  private final boolean isOfRound;

  private ShardRecoveryLog(
      SegmentHistory history,
      long lowWaterMark,
      long lastPosition,
      OwnedPositions owned,
      Bases bases,
      boolean isOfRound) {
    this.history = history;
    this.lowWaterMark = lowWaterMark;
    this.lastPosition = lastPosition;
    this.owned = owned;
    this.local = bases.records();
    this.isOfRound = isOfRound;
  }

  /**
   * {@return the records for a node that has taken the shard}
   *
   * @param lastPosition the last record of the earlier ownerships
   */
  static ShardRecoveryLog ofOwner(
      SegmentHistory history,
      long lowWaterMark,
      long lastPosition,
      OwnedPositions owned,
      Bases bases) {
    return new ShardRecoveryLog(
        history, lowWaterMark, lastPosition, owned, bases, /* isOfRound= */ false);
  }

  /**
   * {@return the records for a node that does not own the shard}
   *
   * @param lastPosition the last record that it reads
   */
  static ShardRecoveryLog ofRound(
      SegmentHistory history,
      long lowWaterMark,
      long lastPosition,
      OwnedPositions owned,
      Bases bases) {
    return new ShardRecoveryLog(
        history, lowWaterMark, lastPosition, owned, bases, /* isOfRound= */ true);
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
    WithLocal merged = new WithLocal(position, visitor);
    requireSegments(history, position, lastPosition);
    history.forEach(position, lastPosition, own(merged));
    merged.end();
  }

  @Override
  public void forEachOfOthers(Selection wanted, RecordVisitor visitor) {
    history.forEach(
        lowWaterMark,
        lastPosition,
        record -> {
          if (wanted.includes(record.viewId(), record.kind())
              && isForeign(record.kind(), record.viewId(), record.position())) {
            visitor.visit(record);
          }
        });
  }

  /**
   * Fails if segments are missing before those that are there: they must not count as read. Later
   * ones that are missing are met by the reader of those before them.
   */
  static void requireSegments(SegmentHistory history, long position, long lastPosition) {
    long first = Math.max(1, position);
    long oldest = history.oldestPosition();
    if (first <= lastPosition && first < oldest) {
      throw new JournalCorruptException(
          history.fileOf(oldest), 0, first, "the segment before this one is missing");
    }
  }

  /** Passes on local records between those of the journal. */
  private final class WithLocal implements RecordVisitor {

    private final long first;
    private final RecordVisitor visitor;
    private int next;

    WithLocal(long first, RecordVisitor visitor) {
      this.first = first;
      this.visitor = visitor;
    }

    @Override
    public void visit(JournalRecord record) {
      passBefore(record.position());
      visitor.visit(record);
    }

    void end() {
      passBefore(Long.MAX_VALUE);
    }

    private void passBefore(long position) {
      while (next < local.size() && local.get(next).position() < position) {
        LocalRecord record = local.get(next++);
        if (record.position() >= first && record.position() <= lastPosition) {
          visitor.visit(record.asRecord());
        }
      }
    }
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

  private boolean isForeign(RecordKind kind, int viewId, long position) {
    return (isOfRound || position <= lastPosition) // later ones are of this ownership
        && owned.isForeign(kind, viewId, position);
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
      long from = isOfRound ? Math.min(fromPosition, lastPosition) : fromPosition;
      List<LocalRecord> own = new ArrayList<>();
      for (LocalRecord record : local.reversed()) {
        if (record.key().equals(key) && record.position() <= from) {
          own.add(record);
        }
      }
      return new OwnCursor(history.newestFirst(key, from), own);
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

  /** The records of an object, and the local ones after the record that has their position. */
  private final class OwnCursor implements HistoryCursor {

    private final HistoryCursor all;
    private final Deque<LocalRecord> waiting;

    /** The current record, if it is a local one. */
    private @Nullable LocalRecord current;

    /** Whether the cursor of the journal has been moved to a record that was not passed on yet. */
    private boolean isAhead;

    private boolean hasMore = true;

    OwnCursor(HistoryCursor all, List<LocalRecord> newestFirst) {
      this.all = all;
      this.waiting = new ArrayDeque<>(newestFirst);
    }

    @Override
    public boolean next() {
      if (!isAhead && hasMore) {
        hasMore = nextOfJournal();
      }
      isAhead = false;
      if (!hasMore) {
        // Segments between the rest and what was read may have been removed: it would look as if
        // the object was not changed there.
        waiting.removeIf(record -> record.position() < history.oldestPosition() - 1);
      }
      LocalRecord newest = waiting.peek();
      if (newest != null && (!hasMore || newest.position() >= all.position())) {
        current = waiting.remove();
        isAhead = hasMore;
        return true;
      }
      current = null;
      return hasMore;
    }

    private boolean nextOfJournal() {
      boolean has = all.next();
      while (has && isForeign(all.kind(), all.viewId(), all.position())) {
        has = all.next();
      }
      return has;
    }

    @Override
    public long position() {
      LocalRecord own = current;
      return own == null ? all.position() : own.position();
    }

    @Override
    public long wallMillis() {
      return current == null ? all.wallMillis() : 0;
    }

    @Override
    public RecordKind kind() {
      LocalRecord own = current;
      return own == null ? all.kind() : own.kind();
    }

    @Override
    public int viewId() {
      LocalRecord own = current;
      return own == null ? all.viewId() : own.viewId();
    }

    @Override
    public ChainLink link() {
      LocalRecord own = current;
      return own == null ? all.link() : own.asRecord().requireLink();
    }

    @Override
    public int payloadBytes() {
      LocalRecord own = current;
      return own == null ? all.payloadBytes() : own.payload().remaining();
    }

    @Override
    public JournalRecord read() {
      LocalRecord own = current;
      return own == null ? all.read() : own.asRecord();
    }

    @Override
    public void close() {
      all.close();
    }
  }
}
