package dev.holdfast.journal.file;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.file.SegmentWalk.Place;
import dev.holdfast.spi.RecordVisitor;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.util.List;

/**
 * The records between the low-water mark and the end, as they were when the journal was opened.
 * Thread-safe: a read of records that {@link ScannedRecords} has not kept opens the files again.
 */
public final class SegmentRecoveryLog implements RecoveryLog {

  private static final String CHANGED = "the segment was valid a moment ago, and no longer is";

  private final Disk disk;
  private final Segments segments;
  private final JournalScan.Result found;
  private final List<Long> firstPositions; // of segments
  private final long lowWaterMark;
  private final Place start;
  private final long endOffset;
  private final long lastPosition;

  public SegmentRecoveryLog(Disk disk, Segments segments, JournalScan.Result found) {
    this(disk, segments, found, found.lowWaterMark(), found.start());
  }

  private SegmentRecoveryLog(
      Disk disk, Segments segments, JournalScan.Result found, long firstPosition, Place start) {
    this.disk = disk;
    this.segments = segments;
    this.found = found;
    this.lowWaterMark = firstPosition;
    this.start = start;
    this.endOffset = found.tail() == null ? 0 : found.tail().endOffset();
    this.lastPosition = found.lastPosition();
    this.firstPositions = segments.from(lowWaterMark);
  }

  @Override
  public long firstPosition() {
    return lowWaterMark;
  }

  @Override
  public long oldestPosition() {
    Long oldest = segments.oldest();
    return oldest == null ? lowWaterMark : Math.min(oldest, lowWaterMark);
  }

  @Override
  public void forEachFrom(long position, RecordVisitor visitor) {
    forEachFrom(position, (_, _) -> true, visitor);
  }

  @Override
  public void forEachFrom(long position, Selection wanted, RecordVisitor visitor) {
    if (position >= found.lowWaterMark() && found.read().has(wanted)) {
      found.read().forEachFrom(position, wanted, visitor);
      return;
    }
    Long segment = segments.holding(position);
    // The start that was found belongs to the low-water mark and cannot serve an earlier position.
    Place from =
        position >= found.lowWaterMark() || segment == null
            ? found.start()
            : Place.startOf(segment);
    new SegmentRecoveryLog(disk, segments, found, position, from).read(wanted, visitor);
  }

  /** Frees the records in memory: recovery of the views is complete. */
  public void release() {
    found.read().clear();
  }

  @Override
  public long journalId() {
    return found.journalId();
  }

  @Override
  public void forEach(RecordVisitor visitor) {
    forEachFrom(lowWaterMark, (_, _) -> true, visitor);
  }

  private void read(Selection wanted, RecordVisitor visitor) {
    for (long firstPosition : firstPositions) {
      if (Math.max(firstPosition, lowWaterMark) > lastPosition) {
        return;
      }
      try (SegmentReader reader = SegmentReader.open(disk, segments.fileOf(firstPosition))) {
        readSegment(reader, firstPosition, wanted, visitor);
      } catch (IOException e) {
        throw new DataDirectoryException(
            segments.fileOf(firstPosition), "The journal segment cannot be read", e);
      }
    }
  }

  private void readSegment(
      SegmentReader reader, long firstPosition, Selection wanted, RecordVisitor visitor)
      throws IOException {
    SegmentHeader header = reader.requireHeader(firstPosition, CHANGED);
    long last = lastPositionOf(firstPosition);
    if (last == lastPosition) {
      reader.readAheadUpTo(endOffset);
    }
    Place from = firstPosition == start.segment() ? start : Place.startOf(firstPosition);
    new SegmentWalk(reader, header.salt(), from)
        .requireUpTo(last, SegmentWalk.Selected.from(lowWaterMark, wanted, visitor), CHANGED);
  }

  private long lastPositionOf(long firstPosition) {
    int next = firstPositions.indexOf(firstPosition) + 1;
    return next < firstPositions.size() ? firstPositions.get(next) - 1 : lastPosition;
  }
}
