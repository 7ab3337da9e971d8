package dev.holdfast.testkit;

import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The records of an {@link InMemoryJournal}, in order. Guarded by the lock of their journal. */
final class JournalRecords {

  private static final AtomicLong LAST_ID = new AtomicLong();

  private final long journalId;
  private final List<Entry> entries;

  /** The number of dropped records before the first entry. */
  private long forgottenCount;

  private boolean forgetful;

  JournalRecords() {
    this(LAST_ID.incrementAndGet(), new ArrayList<>(), 0);
  }

  private JournalRecords(long journalId, List<Entry> entries, long forgottenCount) {
    this.journalId = journalId;
    this.entries = entries;
    this.forgottenCount = forgottenCount;
  }

  /** Adds a record and returns its position. */
  long append(
      long wallMillis,
      RecordKind kind,
      int viewId,
      ObjectKey key,
      @Nullable ChainLink link,
      byte[] payload) {
    return append(new Entry(wallMillis, kind, viewId, key, link, payload, /* isJoined= */ false));
  }

  /** Adds a record that no crash separates from the next one. */
  void appendJoined(long wallMillis, RecordKind kind, int viewId, ObjectKey key, byte[] payload) {
    append(new Entry(wallMillis, kind, viewId, key, null, payload, /* isJoined= */ true));
  }

  private long append(Entry entry) {
    if (forgetful) {
      forgottenCount++;
    } else {
      entries.add(entry);
    }
    return last();
  }

  /** Returns a position, or the one before it if no crash leaves the record without the next. */
  long wholeUpTo(long position) {
    int index = (int) (position - forgottenCount) - 1;
    return index >= 0 && index < entries.size() && entries.get(index).isJoined()
        ? position - 1
        : position;
  }

  /** Returns the id of the journal; the journal has the same id after a crash. */
  long journalId() {
    return journalId;
  }

  /** Returns the position of the first kept record. */
  long first() {
    return forgottenCount + 1;
  }

  long last() {
    return forgottenCount + entries.size();
  }

  /** Throws unless a record exists, or existed, at the position. */
  void requireAppended(long position) {
    if (position < Journal.START || position > last()) {
      throw new IllegalArgumentException(
          "No record was appended at " + position + "; the last one is " + last());
    }
  }

  /** Returns a copy of the records up to a position. */
  JournalRecords prefix(long position) {
    requireRecords();
    if (position < forgottenCount) {
      throw new IllegalArgumentException(
          "Records up to " + forgottenCount + " were trimmed: position=" + position);
    }
    List<Entry> kept = entries.subList(0, (int) (wholeUpTo(position) - forgottenCount));
    return new JournalRecords(journalId, new ArrayList<>(kept), forgottenCount);
  }

  /** Returns the records up to a position, for readers without the lock. */
  List<JournalRecord> upTo(long position) {
    requireRecords();
    List<JournalRecord> records = new ArrayList<>();
    for (Entry entry : entries.subList(0, (int) (position - forgottenCount))) {
      records.add(entry.toRecord(forgottenCount + records.size() + 1));
    }
    return records;
  }

  void trimBefore(long position) {
    if (position - 1 > forgottenCount) {
      entries.subList(0, (int) (position - 1 - forgottenCount)).clear();
      forgottenCount = position - 1;
    }
  }

  /** Keeps only positions from now on. */
  void forgetAll() {
    forgetful = true;
    forgottenCount = last();
    entries.clear();
  }

  private void requireRecords() {
    if (forgetful) {
      throw new IllegalStateException("A forgetful journal has no records to recover from.");
    }
  }

  /** A record without its position, which is its index. */
  @SuppressWarnings("ArrayRecordComponent") // never compared, never changed
  private record Entry(
      long wallMillis,
      RecordKind kind,
      int viewId,
      ObjectKey key,
      @Nullable ChainLink link,
      byte[] payload,
      boolean isJoined) {

    JournalRecord toRecord(long position) {
      ByteBuffer readOnly = ByteBuffer.wrap(payload).asReadOnlyBuffer();
      return new JournalRecord(position, wallMillis, kind, viewId, key, link, readOnly);
    }
  }
}
