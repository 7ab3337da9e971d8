package dev.holdfast.journal;

import dev.holdfast.DataDirectoryException;
import dev.holdfast.JournalCorruptException;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads a journal directory when it is opened: finds the end, tells a torn tail from damage, and
 * checks every segment that a view may still need. Changes nothing. The rules are those of {@code
 * docs/formats/journal.md}.
 *
 * <p>Owned by the opening thread.
 */
final class JournalScan {

  /**
   * What was found.
   *
   * @param journalId of the journal, a new one if it is empty
   * @param lowWaterMark first position that views need
   * @param lastPosition position of the last record
   * @param tail where appending goes on; null if there is no segment
   */
  record Result(long journalId, long lowWaterMark, long lastPosition, @Nullable Tail tail) {}

  /**
   * The end of the newest segment.
   *
   * @param header of the segment
   * @param sizeBytes of the file
   * @param lastGroupOffset where the last group begins; equal to the end if there is none
   * @param endOffset where the next group goes
   */
  record Tail(SegmentHeader header, long sizeBytes, long lastGroupOffset, long endOffset) {}

  private final Disk disk;
  private final Segments segments;

  JournalScan(Disk disk, Segments segments) {
    this.disk = disk;
    this.segments = segments;
  }

  Result run(LongSupplier salts) throws IOException {
    if (segments.isEmpty()) {
      return new Result(salts.getAsLong(), 1, 0, null);
    }
    Walk newest = walk(segments.newest(), null);
    refuseDamage(newest);
    checkOlder(newest);
    return new Result(
        newest.header.journalId(),
        Math.min(newest.lowWaterMark, newest.nextPosition),
        newest.nextPosition - 1,
        new Tail(newest.header, newest.sizeBytes, newest.lastGroupOffset, newest.endOffset));
  }

  /** How far a segment is valid. */
  private static final class Walk {
    final Path path;
    final SegmentHeader header;
    final long sizeBytes;
    long endOffset = SegmentHeader.LENGTH_BYTES;
    long lastGroupOffset = SegmentHeader.LENGTH_BYTES;
    long laterGroupOffset = -1;
    long nextPosition;
    long lowWaterMark;

    Walk(Path path, SegmentHeader header, long sizeBytes) {
      this.path = path;
      this.header = header;
      this.sizeBytes = sizeBytes;
      this.nextPosition = header.firstPosition();
      this.lowWaterMark = header.lowWaterMark();
    }
  }

  private Walk walk(long firstPosition, @Nullable SegmentHeader newest) throws IOException {
    Path path = segments.fileOf(firstPosition);
    try (SegmentReader reader = SegmentReader.open(disk, path)) {
      Walk walk = new Walk(path, header(reader, firstPosition, newest), reader.sizeBytes());
      long salt = walk.header.salt();
      GroupHeader group = reader.groupAt(walk.endOffset, salt);
      while (group != null
          && group.firstPosition() == walk.nextPosition
          && reader.isValid(group, walk.endOffset)) {
        advance(walk, group);
        group = reader.groupAt(walk.endOffset, salt);
      }
      // A header right at the end belongs to the torn group, if it has the expected position.
      boolean torn = group != null && group.firstPosition() == walk.nextPosition;
      long from = torn ? walk.endOffset + 8 : walk.endOffset;
      walk.laterGroupOffset = reader.findGroup(from, salt, walk.nextPosition);
      return walk;
    }
  }

  private static void advance(Walk walk, GroupHeader group) {
    walk.lastGroupOffset = walk.endOffset;
    walk.endOffset += group.groupBytes();
    walk.nextPosition = group.nextPosition();
    walk.lowWaterMark = Math.max(walk.lowWaterMark, group.lowWaterMark());
  }

  private static SegmentHeader header(
      SegmentReader reader, long firstPosition, @Nullable SegmentHeader newest) throws IOException {
    byte[] page = reader.headerPage();
    if (page == null) {
      throw corrupt(
          reader.path(), firstPosition, "the file has only " + reader.sizeBytes() + " bytes");
    }
    switch (SegmentHeader.stateOf(page)) {
      case VALID -> {}
      case DAMAGED -> throw corrupt(reader.path(), firstPosition, "its header is damaged");
      case NEWER_VERSION ->
          throw new DataDirectoryException(
              reader.path(),
              "The journal was written by a newer version of Holdfast; open it with that version",
              null);
    }
    SegmentHeader header = SegmentHeader.decode(page);
    if (header.firstPosition() != firstPosition) {
      throw corrupt(
          reader.path(),
          firstPosition,
          "its header says that it begins at position " + header.firstPosition());
    }
    if (newest != null && header.journalId() != newest.journalId()) {
      throw corrupt(reader.path(), firstPosition, "it belongs to another journal");
    }
    if (reader.sizeBytes() < header.allocatedBytes()) {
      throw corrupt(
          reader.path(),
          firstPosition,
          "it was cut from " + header.allocatedBytes() + " bytes to " + reader.sizeBytes());
    }
    return header;
  }

  private static void refuseDamage(Walk walk) {
    if (walk.laterGroupOffset >= 0) {
      throw new JournalCorruptException(
          walk.path,
          walk.endOffset,
          walk.nextPosition,
          "there is no valid group of records here, but a later one at byte "
              + walk.laterGroupOffset);
    }
  }

  /** Checks that the segments from the low-water mark on join without a gap. */
  private void checkOlder(Walk newest) throws IOException {
    List<Long> needed = segments.from(newest.lowWaterMark);
    if (needed.getFirst() > newest.lowWaterMark) {
      throw corrupt(
          segments.fileOf(newest.lowWaterMark),
          newest.lowWaterMark,
          "the segment that holds this position is missing; the oldest one left is "
              + segments.fileOf(needed.getFirst()));
    }
    for (int i = 0; i + 1 < needed.size(); i++) {
      Walk walk = walk(needed.get(i), newest.header);
      refuseDamage(walk);
      if (walk.nextPosition != needed.get(i + 1)) {
        throw new JournalCorruptException(
            walk.path,
            walk.endOffset,
            walk.nextPosition,
            "the valid records end here, but the next segment begins at position "
                + needed.get(i + 1));
      }
    }
  }

  private static JournalCorruptException corrupt(Path path, long position, String message) {
    return new JournalCorruptException(path, 0, position, message);
  }
}
