package dev.holdfast.journal.check;

import dev.holdfast.journal.file.GroupHeader;
import dev.holdfast.journal.file.SegmentHeader;
import dev.holdfast.journal.file.SegmentHeader.State;
import dev.holdfast.journal.file.SegmentIndex;
import dev.holdfast.journal.file.SegmentReader;
import dev.holdfast.journal.file.SegmentWalk;
import dev.holdfast.journal.file.SegmentWalk.Hole;
import dev.holdfast.journal.file.SegmentWalk.Place;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that can be read of one segment, whatever is damaged in it. Unlike {@code JournalScan} it
 * goes on after damage. Not changed once made, but for the index.
 */
final class SegmentSurvey {

  /**
   * Valid groups, one directly after the other.
   *
   * @param file the segment
   * @param salt of its groups
   * @param begunMillis when the segment was begun
   * @param start of the first group
   * @param endPosition the position after the last record
   */
  record Extent(Path file, long salt, long begunMillis, Place start, long endPosition) {

    long firstPosition() {
      return start.position();
    }
  }

  final Path path;
  final long firstPosition;
  final State head;
  final @Nullable SegmentHeader header;
  final long sizeBytes;
  final List<Extent> extents = new ArrayList<>();
  final List<Hole> holes = new ArrayList<>();
  long endOffset = SegmentHeader.LENGTH_BYTES;
  long endPosition;
  long lowWaterMark;

  /** Whether the bytes at the end are those of a group that is not whole. */
  boolean isTorn;

  /** Whether a group has a low-water mark that no writer gives it. */
  boolean isMarkWrong;

  /** The index of the segment; null if not all of it can be read. */
  @Nullable SegmentIndex index;

  private SegmentSurvey(Path path, long firstPosition, SegmentReader reader) throws IOException {
    this.path = path;
    this.firstPosition = firstPosition;
    this.sizeBytes = reader.sizeBytes();
    this.endPosition = firstPosition;
    byte[] page = reader.headerPage();
    this.head = SegmentHeader.stateOf(page);
    this.header = page == null || head != State.VALID ? null : SegmentHeader.decode(page);
    this.lowWaterMark = header == null ? 0 : header.lowWaterMark();
  }

  /** Leaves out holes from an offset on, and what is behind them: a log writes all that again. */
  void ignoreFrom(long offset) {
    Hole first = holes.stream().filter(each -> each.offset() >= offset).findFirst().orElse(null);
    if (first != null) {
      endOffset = first.offset();
      endPosition = first.firstPosition();
      holes.removeIf(each -> each.offset() >= offset);
      extents.removeIf(each -> each.start().offset() >= first.offset());
    }
    isTorn &= endOffset < offset;
  }

  /** Reads a segment. */
  static SegmentSurvey read(Disk disk, Path path, long firstPosition) throws IOException {
    try (SegmentReader reader = SegmentReader.open(disk, path)) {
      SegmentSurvey found = new SegmentSurvey(path, firstPosition, reader);
      Long salt = found.salt(reader);
      if (salt != null) {
        found.walk(reader, salt);
      }
      return found;
    }
  }

  /** Each group repeats the salt: a damaged header alone loses no record. */
  private @Nullable Long salt(SegmentReader reader) throws IOException {
    SegmentHeader known = header;
    if (known != null) {
      return known.firstPosition() == firstPosition ? known.salt() : null;
    }
    GroupHeader first =
        head == State.DAMAGED ? reader.anyGroupAt(SegmentHeader.LENGTH_BYTES) : null;
    return first != null && first.firstPosition() == firstPosition ? first.salt() : null;
  }

  private long begunMillis() {
    return header == null ? SegmentHeader.UNKNOWN_MILLIS : header.wallMillis();
  }

  private void walk(SegmentReader reader, long salt) throws IOException {
    SegmentIndex records =
        new SegmentIndex(
            firstPosition, header == null ? 0 : header.wallMillis(), SegmentHeader.LENGTH_BYTES);
    index = records;
    SegmentWalk walk = new SegmentWalk(reader, salt, Place.startOf(firstPosition));
    do {
      Place start = walk.place();
      GroupHeader group = walk.next(SegmentWalk.RECORDS);
      while (group != null) {
        take(reader, group, walk, records);
        group = walk.next(SegmentWalk.RECORDS);
      }
      endOffset = walk.offset();
      endPosition = walk.position();
      if (endPosition > start.position()) {
        extents.add(new Extent(path, salt, begunMillis(), start, endPosition));
      }
      Hole hole = walk.resume();
      if (hole != null) {
        holes.add(hole);
        index = null;
      }
    } while (walk.offset() > endOffset || walk.position() > endPosition);
    isTorn =
        walk.isAtContinuing()
            || looksTorn(reader.bytesAt(endOffset, GroupHeader.LENGTH_BYTES), salt);
  }

  private void take(SegmentReader reader, GroupHeader group, SegmentWalk walk, SegmentIndex records)
      throws IOException {
    if (index != null && !reader.index(group, walk.groupOffset(), records)) {
      index = null;
    }
    if (group.recordCount() > 0) {
      records.endsAt(walk.offset()); // an index ends with its records: later groups come after it
    }
    // Marks never go down, and never lie above the position after the last record.
    isMarkWrong |= group.lowWaterMark() < lowWaterMark || group.lowWaterMark() > walk.position();
    lowWaterMark = Math.max(lowWaterMark, group.lowWaterMark());
  }

  /** Whether bytes can be a group header of this segment in which something was changed. */
  private boolean looksTorn(byte[] bytes, long salt) {
    if (bytes.length < GroupHeader.LENGTH_BYTES) {
      return false;
    }
    ByteBuffer fields = ByteBuffer.wrap(bytes);
    int alike =
        (fields.getInt(0) == GroupHeader.MAGIC ? 1 : 0)
            + (fields.getLong(8) == salt ? 1 : 0)
            + (fields.getLong(16) == endPosition ? 1 : 0);
    return alike >= 2;
  }
}
