package dev.holdfast.journal.file;

import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecordVisitor;
import dev.holdfast.spi.RecoveryLog.Selection;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The records that views need, kept in memory by the scan that checks the journal, so that views
 * read no file. The records of one view and kind are kept all or not at all. If the total exceeds
 * the bound, the records of the largest view and kind are dropped; so small records, such as
 * checkpoints, stay when batches do not.
 *
 * <p>Confined to the thread that opens the journal.
 */
public final class ScannedRecords {

  /** The memory of a record besides its payload: the record, its buffer, its key. */
  private static final long OVERHEAD_BYTES = 320;

  private final long bytesMax;
  private final Map<Sort, Kept> sorts = new HashMap<>();
  private long bytes;
  private boolean isSettled;

  public ScannedRecords(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  private record Sort(int viewId, RecordKind kind) {}

  /**
   * The records of one view and kind. The last ones are of a group that is not fully checked yet.
   */
  private static final class Kept {
    private final List<JournalRecord> records = new ArrayList<>();
    private int first; // those before it are not needed
    private int checked;
    private long bytes;
    private long droppedUpTo;
    private boolean isMissing; // a record of the current group
    private boolean isDropped;

    private long bytesOf(int from, int to) {
      long sum = 0;
      for (JournalRecord record : records.subList(from, to)) {
        sum += bytesOf(record);
      }
      return sum;
    }

    private static long bytesOf(JournalRecord record) {
      return OVERHEAD_BYTES + record.payload().limit();
    }

    /** Records before the low-water mark do not count as missing once the mark is known. */
    private void drop() {
      droppedUpTo = records.isEmpty() ? droppedUpTo : records.getLast().position();
      records.clear();
      first = 0;
      checked = 0;
      bytes = 0;
    }
  }

  /** {@return whether a record of the current group may be kept} */
  boolean wants(RecordHeader record) {
    Kept kept = kept(record.viewId(), record.kind());
    if (record.payloadBytes() > bytesMax - OVERHEAD_BYTES) {
      kept.isMissing = true;
      return false;
    }
    return !kept.isDropped;
  }

  private Kept kept(int viewId, RecordKind kind) {
    return sorts.computeIfAbsent(new Sort(viewId, kind), _ -> new Kept());
  }

  /** Adds a record of the current group that {@link #wants} has accepted. */
  void add(JournalRecord record) {
    Kept kept = kept(record.viewId(), record.kind());
    JournalRecord copy = record.copied();
    kept.records.add(copy);
    long added = Kept.bytesOf(copy);
    kept.bytes += added;
    bytes += added;
    while (bytes > bytesMax) {
      Kept largest = Collections.max(sorts.values(), Comparator.comparingLong(each -> each.bytes));
      bytes -= largest.bytes;
      largest.drop();
      largest.isDropped = isSettled;
    }
  }

  /**
   * Ends a group; the records of an invalid group are discarded.
   *
   * @param lastPosition the position of its last record
   */
  void endGroup(boolean isValid, long lastPosition) {
    for (Kept kept : sorts.values()) {
      if (kept.isMissing) {
        kept.droppedUpTo = lastPosition;
        kept.isDropped |= isSettled;
        kept.isMissing = false;
      }
      int end = kept.records.size();
      if (!isValid) {
        long unchecked = kept.bytesOf(kept.checked, end);
        kept.bytes -= unchecked;
        bytes -= unchecked;
        kept.records.subList(kept.checked, end).clear();
      }
      kept.checked = kept.records.size();
    }
  }

  /** Drops the records before a position; all records here were added in order. */
  void dropBefore(long position) {
    for (Kept kept : sorts.values()) {
      int from = kept.first;
      while (kept.first < kept.checked && kept.records.get(kept.first).position() < position) {
        kept.first++;
      }
      long dropped = kept.bytesOf(from, kept.first);
      kept.bytes -= dropped;
      bytes -= dropped;
      if (kept.first > kept.checked / 2) {
        kept.records.subList(0, kept.first).clear();
        kept.checked -= kept.first;
        kept.first = 0;
      }
    }
  }

  /**
   * Ends the newest segment, which is read first: only then is the low-water mark known.
   *
   * @param lowWaterMark the first record that they need
   */
  void settle(long lowWaterMark) {
    isSettled = true;
    dropBefore(lowWaterMark);
    for (Kept kept : sorts.values()) {
      kept.isDropped = kept.droppedUpTo >= lowWaterMark;
      if (kept.isDropped) {
        bytes -= kept.bytes;
        kept.drop();
      }
    }
  }

  /** Ends the scan, which may have read the newest segment first. */
  void complete() {
    for (Kept kept : sorts.values()) {
      kept.records.subList(0, kept.first).clear();
      kept.first = 0;
      kept.checked = kept.records.size();
      kept.records.sort(Comparator.comparingLong(JournalRecord::position));
    }
  }

  /** {@return whether all records that a reader wants are here} */
  boolean has(Selection wanted) {
    return sorts.entrySet().stream()
        .noneMatch(
            each ->
                each.getValue().isDropped
                    && wanted.includes(each.getKey().viewId(), each.getKey().kind()));
  }

  /**
   * Passes the records that a reader wants from a position on to a visitor; all of them are here.
   */
  void forEachFrom(long position, Selection wanted, RecordVisitor visitor) {
    List<JournalRecord> selected = new ArrayList<>();
    sorts.forEach(
        (sort, kept) -> {
          if (wanted.includes(sort.viewId(), sort.kind())) {
            selected.addAll(kept.records);
          }
        });
    selected.sort(Comparator.comparingLong(JournalRecord::position));
    for (JournalRecord each : selected) {
      if (each.position() >= position) {
        visitor.visit(each.withPayload(each.payload().duplicate()));
      }
    }
  }

  /** Frees the memory. Later requests are served from the files. */
  void clear() {
    for (Kept kept : sorts.values()) {
      bytes -= kept.bytes;
      kept.drop();
      kept.isDropped = true;
    }
  }
}
