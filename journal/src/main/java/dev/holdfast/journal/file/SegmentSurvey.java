package dev.holdfast.journal.file;

import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that can be read of one segment, whatever is damaged in it. Unlike {@link JournalScan} it
 * goes on after damage. Not changed once made, but for the index.
 */
final class SegmentSurvey {

  /**
   * Valid groups, one directly after the other.
   *
   * @param file the segment
   * @param salt of its groups
   * @param offset of the first group
   * @param firstPosition of its first record
   * @param endPosition the position after the last record
   */
  record Extent(Path file, long salt, long offset, long firstPosition, long endPosition) {}

  /**
   * Bytes between valid groups, or between the last one and evidence of later ones.
   *
   * @param offset where they begin
   * @param firstPosition the first position that cannot be read
   * @param endPosition the first position that can be read again, or is known to have existed
   */
  record Hole(long offset, long firstPosition, long endPosition) {}

  /** What the header page is. */
  enum Head {
    VALID,
    SHORT,
    DAMAGED,
    OTHER
  }

  final Path path;
  final long firstPosition;
  final Head head;
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
    this.head =
        page == null
            ? Head.SHORT
            : switch (SegmentHeader.stateOf(page)) {
              case VALID -> Head.VALID;
              case DAMAGED -> Head.DAMAGED;
              case OTHER_VERSION -> Head.OTHER;
            };
    this.header = page == null || head != Head.VALID ? null : SegmentHeader.decode(page);
    this.lowWaterMark = header == null ? 0 : header.lowWaterMark();
  }

  /** Leaves out holes from an offset on, and what is behind them: a log writes all that again. */
  void ignoreFrom(long offset) {
    Hole first = holes.stream().filter(each -> each.offset() >= offset).findFirst().orElse(null);
    if (first != null) {
      endOffset = first.offset();
      endPosition = first.firstPosition();
      holes.removeIf(each -> each.offset() >= offset);
      extents.removeIf(each -> each.offset() >= first.offset());
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
    GroupHeader first = head == Head.DAMAGED ? reader.anyGroupAt(SegmentHeader.LENGTH_BYTES) : null;
    return first != null && first.firstPosition() == firstPosition ? first.salt() : null;
  }

  private void walk(SegmentReader reader, long salt) throws IOException {
    SegmentIndex records =
        new SegmentIndex(
            firstPosition, header == null ? 0 : header.wallMillis(), SegmentHeader.LENGTH_BYTES);
    index = records;
    while (true) {
      long start = endOffset;
      long startPosition = endPosition;
      GroupHeader group = validAt(reader, endOffset, salt, endPosition);
      while (group != null) {
        take(reader, group, records);
        group = validAt(reader, endOffset, salt, endPosition);
      }
      if (endPosition > startPosition) {
        extents.add(new Extent(path, salt, start, startPosition, endPosition));
      }
      GroupHeader broken = reader.groupAt(endOffset, salt);
      boolean isExpected = broken != null && broken.firstPosition() == endPosition;
      if (!resume(reader, salt, isExpected ? endOffset + 8 : endOffset)) {
        isTorn = isExpected || looksTorn(reader.bytesAt(endOffset, GroupHeader.LENGTH_BYTES), salt);
        return;
      }
    }
  }

  private void take(SegmentReader reader, GroupHeader group, SegmentIndex records)
      throws IOException {
    if (index != null && !reader.index(group, endOffset, records)) {
      index = null;
    }
    endOffset += group.groupBytes();
    endPosition = group.nextPosition();
    if (group.recordCount() > 0) {
      records.endsAt(endOffset); // an index ends with its records: it is made before later groups
    }
    // Marks never go down, and never lie above the position after the last record.
    isMarkWrong |= group.lowWaterMark() < lowWaterMark || group.lowWaterMark() > endPosition;
    lowWaterMark = Math.max(lowWaterMark, group.lowWaterMark());
  }

  private static @Nullable GroupHeader validAt(
      SegmentReader reader, long offset, long salt, long position) throws IOException {
    GroupHeader group = reader.groupAt(offset, salt);
    return group != null
            && (position == 0 || group.firstPosition() == position)
            && reader.isValid(group, offset)
        ? group
        : null;
  }

  /**
   * Looks for groups after the place where none is valid.
   *
   * @return whether there are valid ones, and the walk goes on there
   */
  private boolean resume(SegmentReader reader, long salt, long from) throws IOException {
    long known = endPosition;
    for (long at = reader.findGroup(from, salt, endPosition);
        at >= 0;
        at = reader.findGroup(at + 8, salt, endPosition)) {
      GroupHeader group = reader.groupAt(at, salt);
      if (group == null) {
        continue;
      }
      if (reader.isValid(group, at)) {
        holes.add(new Hole(endOffset, endPosition, group.firstPosition()));
        endOffset = at;
        endPosition = group.firstPosition();
        index = null;
        return true;
      }
      known = Math.max(known, group.nextPosition());
    }
    if (known > endPosition) {
      holes.add(new Hole(endOffset, endPosition, known));
      index = null;
    }
    return false;
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
