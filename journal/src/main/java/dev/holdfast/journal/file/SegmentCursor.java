package dev.holdfast.journal.file;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.spi.HistoryCursor;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/** Iterates backwards over the records of one object. Confined to one thread. */
final class SegmentCursor implements HistoryCursor {

  /** Bytes of a segment that are read at once when records of the object are close together. */
  private static final int WINDOW_BYTES = 256 << 10;

  private static final int LOOK_AHEAD_RECORDS = 64;

  private final SegmentHistory history;
  private final ObjectKey key;
  private final long hash;
  private final long fromPosition;

  private SegmentHistory.@Nullable Found place;
  private boolean begun;

  private @Nullable SegmentReader reader;
  private long readerSegment;

  SegmentCursor(SegmentHistory history, ObjectKey key, long fromPosition) {
    this.history = history;
    this.key = key;
    this.hash = SegmentIndex.hashOf(key);
    this.fromPosition = fromPosition;
  }

  @Override
  public boolean next() {
    SegmentHistory.Found present = place;
    if (!begun) {
      begun = true;
      place = history.find(hash, fromPosition);
    } else if (present != null) {
      place = history.before(present, hash);
    }
    return place != null;
  }

  @Override
  public long position() {
    return present().index().position(present().ordinal());
  }

  @Override
  public long wallMillis() {
    return present().index().wallMillis(present().ordinal());
  }

  @Override
  public RecordKind kind() {
    return present().index().kind(present().ordinal());
  }

  @Override
  public int viewId() {
    return present().index().viewId(present().ordinal());
  }

  @Override
  public ChainLink link() {
    ChainLink link = present().index().link(present().ordinal());
    if (link == null) {
      throw new IllegalStateException("Record " + position() + " changes no object.");
    }
    return link;
  }

  @Override
  public int payloadBytes() {
    return present().index().payloadBytes(present().ordinal());
  }

  @Override
  public JournalRecord read() {
    SegmentHistory.Found present = present();
    try {
      return read(present);
    } catch (IOException | JournalCorruptException e) {
      if (!history.holds(present.segment())) {
        // Its file is deleted, or reused for another segment.
        throw new NoSuchElementException(
            "Retention has dropped record " + position() + " of " + key + " meanwhile", e);
      }
      throw e instanceof JournalCorruptException corrupt
          ? corrupt
          : new DataDirectoryException(
              history.fileOf(present.segment()), "The history of " + key + " cannot be read", e);
    }
  }

  private JournalRecord read(SegmentHistory.Found present) throws IOException {
    long offset = present.index().offset(present.ordinal());
    SegmentReader opened = readerOf(present.segment());
    JournalRecord record = opened.recordAt(offset, position(), windowFrom(present, offset));
    if (record != null && record.viewId() == RecordKind.VOID_VIEW && !record.key().equals(key)) {
      throw new NoSuchElementException(
          "Record " + position() + " of " + key + " was purged meanwhile");
    }
    if (record == null || !record.key().equals(key)) {
      throw new JournalCorruptException(
          opened.path(),
          offset,
          position(),
          record == null
              ? "the record is damaged"
              : "the index names a record of " + record.key() + " as one of " + key);
    }
    return record;
  }

  /** {@return the offset to read from, so that the next older records are read with this one} */
  private static long windowFrom(SegmentHistory.Found present, long offset) {
    SegmentIndex index = present.index();
    long from = offset;
    int ordinal = index.before(present.ordinal());
    for (int i = 0; i < LOOK_AHEAD_RECORDS && ordinal != SegmentIndex.NONE; i++) {
      long candidate = index.offset(ordinal);
      if (offset - candidate > WINDOW_BYTES) {
        break;
      }
      from = candidate;
      ordinal = index.before(ordinal);
    }
    return from;
  }

  private SegmentReader readerOf(long segment) throws IOException {
    SegmentReader open = reader;
    if (open != null && readerSegment == segment) {
      return open;
    }
    close();
    open = history.open(segment);
    reader = open;
    readerSegment = segment;
    return open;
  }

  private SegmentHistory.Found present() {
    SegmentHistory.Found present = place;
    if (present == null) {
      throw new IllegalStateException("The cursor is not at a record.");
    }
    return present;
  }

  @Override
  public void close() {
    SegmentReader open = reader;
    reader = null;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        // Opened for reading only.
        System.getLogger("dev.holdfast").log(Level.DEBUG, "A segment was not closed cleanly", e);
      }
    }
  }
}
