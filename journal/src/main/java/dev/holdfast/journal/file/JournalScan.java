package dev.holdfast.journal.file;

import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FormatVersion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads a journal directory when it is opened: finds the end, distinguishes a torn tail from
 * damage, and checks every segment that a view may still need. Changes nothing. {@code
 * docs/formats/journal.md} states the rules.
 *
 * <p>Confined to the opening thread.
 */
public final class JournalScan {

  private static final long GROUPS_DISTANCE_BYTES = 1 << 20;

  /**
   * The result of the scan.
   *
   * @param journalId the id of the journal, a new one if it is empty
   * @param lowWaterMark first position that views need
   * @param lastPosition position of the last record
   * @param start the start of the records that views need
   * @param tail where appending continues; null if there is no segment
   * @param read the records that views need, as far as they are in memory
   */
  public record Result(
      long journalId,
      long lowWaterMark,
      long lastPosition,
      Start start,
      @Nullable Tail tail,
      ScannedRecords read) {}

  /**
   * The start of a group.
   *
   * @param segment first position of its segment
   * @param position of its first record
   * @param offset in the segment
   */
  public record Start(long segment, long position, long offset) {

    static Start of(long segment) {
      return new Start(segment, segment, SegmentHeader.LENGTH_BYTES);
    }
  }

  /**
   * The end of the newest segment.
   *
   * @param header of the segment
   * @param sizeBytes of the file
   * @param lastGroupOffset the start of the last group; equal to the end if there is none
   * @param endOffset the offset of the next group
   */
  public record Tail(SegmentHeader header, long sizeBytes, long lastGroupOffset, long endOffset) {}

  private final Disk disk;
  private final Segments segments;
  private final ExpectedJournal expected;
  private final ScannedRecords read;

  /**
   * @param expected states what must exist
   * @param read keeps records for the views
   */
  public JournalScan(Disk disk, Segments segments, ExpectedJournal expected, ScannedRecords read) {
    this.disk = disk;
    this.segments = segments;
    this.expected = expected;
    this.read = read;
  }

  public Result run(LongSupplier salts) throws IOException {
    expected.requireSegments(segments);
    if (segments.isEmpty()) {
      Long known = expected.journalId();
      return new Result(known == null ? salts.getAsLong() : known, 1, 0, Start.of(1), null, read);
    }
    Walk newest = walk(segments.newest(), null, 0);
    refuseDamage(newest);
    read.settle(newest.lowWaterMark);
    expected.requireEnd(newest.path, newest.nextPosition - 1);
    Start start = checkOlder(newest);
    read.complete();
    return new Result(
        newest.header.journalId(),
        Math.min(newest.lowWaterMark, newest.nextPosition),
        newest.nextPosition - 1,
        start,
        new Tail(newest.header, newest.sizeBytes, newest.lastGroupOffset, newest.endOffset),
        read);
  }

  /** The valid part of a segment. */
  private static final class Walk {
    final Path path;
    final SegmentHeader header;
    final long sizeBytes;
    long endOffset = SegmentHeader.LENGTH_BYTES;
    long lastGroupOffset = SegmentHeader.LENGTH_BYTES;
    long laterGroupOffset = -1;
    long nextPosition;
    long lowWaterMark;

    /** A sample of the groups: one per mebibyte, in order. */
    final List<Start> groups = new ArrayList<>();

    Walk(Path path, SegmentHeader header, long sizeBytes) {
      this.path = path;
      this.header = header;
      this.sizeBytes = sizeBytes;
      this.nextPosition = header.firstPosition();
      this.lowWaterMark = header.lowWaterMark();
    }

    /** {@return a group that begins close to a position, at or before it} */
    Start startOf(long position) {
      Start found = Start.of(header.firstPosition());
      for (Start group : groups) {
        if (group.position() <= position) {
          found = group;
        }
      }
      return found;
    }

    void advance(GroupHeader group) {
      if (groups.isEmpty() || endOffset - groups.getLast().offset() >= GROUPS_DISTANCE_BYTES) {
        groups.add(new Start(header.firstPosition(), nextPosition, endOffset));
      }
      lastGroupOffset = endOffset;
      endOffset += group.groupBytes();
      nextPosition = group.nextPosition();
      lowWaterMark = Math.max(lowWaterMark, group.lowWaterMark());
    }

    /** Begins at the tail of a journal that was closed cleanly. */
    void begin(MarkFile.CleanEnd end) {
      nextPosition = end.tailPosition();
      endOffset = end.tailOffset();
      lastGroupOffset = endOffset;
      lowWaterMark = end.lowWaterMark();
      groups.add(new Start(header.firstPosition(), nextPosition, endOffset));
    }
  }

  /**
   * @param newest the newest segment; null if the segment to walk is the newest
   * @param lowWaterMark the low-water mark, as far as it is known
   */
  private Walk walk(long firstPosition, @Nullable SegmentHeader newest, long lowWaterMark)
      throws IOException {
    Path path = segments.fileOf(firstPosition);
    try (SegmentReader reader = SegmentReader.open(disk, path)) {
      Walk walk = new Walk(path, header(reader, firstPosition, newest), reader.sizeBytes());
      long salt = walk.header.salt();
      MarkFile.CleanEnd clean = newest == null ? expected.cleanEndOf(walk.header) : null;
      if (clean != null) {
        walk.begin(clean);
        reader.readAheadUpTo(clean.endOffset() + GroupHeader.LENGTH_BYTES);
      }
      GroupHeader group = reader.groupAt(walk.endOffset, salt);
      while (group != null
          && group.firstPosition() == walk.nextPosition
          && isValid(reader, group, walk.endOffset, Math.max(lowWaterMark, walk.lowWaterMark))) {
        walk.advance(group);
        if (newest == null) {
          read.dropBefore(walk.lowWaterMark);
        }
        group = reader.groupAt(walk.endOffset, salt);
      }
      if (clean != null && clean.endOffset() == walk.endOffset && group == null) {
        return walk;
      }
      reader.readAheadUpTo(Long.MAX_VALUE);
      // A header directly at the end belongs to the torn group if it has the expected position.
      boolean torn = group != null && group.firstPosition() == walk.nextPosition;
      long from = torn ? walk.endOffset + 8 : walk.endOffset;
      walk.laterGroupOffset = reader.findGroup(from, salt, walk.nextPosition);
      return walk;
    }
  }

  /** Checks a group, and keeps its records from a position on. */
  private boolean isValid(SegmentReader reader, GroupHeader group, long offset, long needed)
      throws IOException {
    boolean isValid =
        group.nextPosition() <= needed
            ? reader.isValid(group, offset)
            : reader.read(
                group,
                offset,
                read::wants,
                record -> {
                  if (record.position() >= needed) {
                    read.add(record);
                  }
                });
    read.endGroup(isValid, group.nextPosition() - 1);
    return isValid;
  }

  private SegmentHeader header(
      SegmentReader reader, long firstPosition, @Nullable SegmentHeader newest) throws IOException {
    byte[] page = reader.headerPage();
    if (page == null) {
      throw corrupt(
          reader.path(), firstPosition, "the file has only " + reader.sizeBytes() + " bytes");
    }
    switch (SegmentHeader.stateOf(page)) {
      case VALID -> {}
      case DAMAGED -> throw corrupt(reader.path(), firstPosition, "its header is damaged");
      case OTHER_VERSION ->
          throw FormatVersion.refusal(
              reader.path(), "The journal", SegmentHeader.versionOf(page), SegmentHeader.VERSION);
    }
    SegmentHeader header = SegmentHeader.decode(page);
    if (header.firstPosition() != firstPosition) {
      throw corrupt(
          reader.path(),
          firstPosition,
          "by its header it begins at position " + header.firstPosition());
    }
    if (newest != null && header.journalId() != newest.journalId()) {
      throw corrupt(reader.path(), firstPosition, "it belongs to another journal");
    }
    if (newest == null) {
      expected.requireJournal(reader.path(), header);
    }
    if (reader.sizeBytes() < header.allocatedBytes()) {
      throw corrupt(
          reader.path(),
          firstPosition,
          "it was truncated from " + header.allocatedBytes() + " bytes to " + reader.sizeBytes());
    }
    return header;
  }

  private static void refuseDamage(Walk walk) {
    if (walk.laterGroupOffset >= 0) {
      throw new JournalCorruptException(
          walk.path,
          walk.endOffset,
          walk.nextPosition,
          "no valid group of records is here, but one is at byte " + walk.laterGroupOffset);
    }
  }

  /**
   * Checks that the segments from the low-water mark on join without a gap.
   *
   * @return the start of the records that views need
   */
  private Start checkOlder(Walk newest) throws IOException {
    List<Long> needed = segments.from(newest.lowWaterMark);
    if (needed.getFirst() > newest.lowWaterMark) {
      throw corrupt(
          segments.fileOf(newest.lowWaterMark),
          newest.lowWaterMark,
          "the segment that holds this position is missing; the oldest one left is "
              + segments.fileOf(needed.getFirst()));
    }
    Start start = newest.startOf(newest.lowWaterMark);
    for (int i = 0; i + 1 < needed.size(); i++) {
      Walk walk = walk(needed.get(i), newest.header, newest.lowWaterMark);
      refuseDamage(walk);
      start = i == 0 ? walk.startOf(newest.lowWaterMark) : start;
      if (walk.nextPosition != needed.get(i + 1)) {
        throw new JournalCorruptException(
            walk.path,
            walk.endOffset,
            walk.nextPosition,
            "the valid records end here, but the next segment begins at position "
                + needed.get(i + 1));
      }
    }
    return start;
  }

  private static JournalCorruptException corrupt(Path path, long position, String message) {
    return new JournalCorruptException(path, 0, position, message);
  }
}
