package dev.holdfast.journal.file;

import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.journal.file.SegmentWalk.Place;
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
      Place start,
      @Nullable Tail tail,
      ScannedRecords read) {}

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
      return new Result(
          known == null ? salts.getAsLong() : known, 1, 0, Place.startOf(1), null, read);
    }
    Valid newest = walk(segments.newest(), null, 0);
    refuseDamage(newest);
    read.settle(newest.lowWaterMark);
    expected.requireEnd(newest.path, newest.walk.position() - 1);
    Place start = checkOlder(newest);
    read.complete();
    return new Result(
        newest.header.journalId(),
        Math.min(newest.lowWaterMark, newest.walk.position()),
        newest.walk.position() - 1,
        start,
        new Tail(newest.header, newest.sizeBytes, newest.walk.groupOffset(), newest.walk.offset()),
        read);
  }

  /** The valid part of a segment. */
  private static final class Valid {
    final Path path;
    final SegmentHeader header;
    final long sizeBytes;
    final SegmentWalk walk;
    long laterGroupOffset = -1;
    long lowWaterMark;

    /** A sample of the groups: one per mebibyte, in order. */
    final List<Place> groups = new ArrayList<>();

    /**
     * @param clean where a journal that was closed cleanly ends; the walk begins at its tail
     */
    Valid(SegmentReader reader, SegmentHeader header, MarkFile.@Nullable CleanEnd clean) {
      this.path = reader.path();
      this.header = header;
      this.sizeBytes = reader.sizeBytes();
      long first = header.firstPosition();
      Place start =
          clean == null
              ? Place.startOf(first)
              : new Place(first, clean.tailPosition(), clean.tailOffset());
      this.walk = new SegmentWalk(reader, header.salt(), start);
      this.lowWaterMark = clean == null ? header.lowWaterMark() : clean.lowWaterMark();
      if (clean != null) {
        groups.add(start);
        reader.readAheadUpTo(clean.endOffset() + GroupHeader.LENGTH_BYTES);
      }
    }

    /** {@return a group that begins close to a position, at or before it} */
    Place startOf(long position) {
      Place found = Place.startOf(header.firstPosition());
      for (Place group : groups) {
        if (group.position() <= position) {
          found = group;
        }
      }
      return found;
    }

    void add(Place start, GroupHeader group) {
      if (groups.isEmpty() || start.offset() - groups.getLast().offset() >= GROUPS_DISTANCE_BYTES) {
        groups.add(start);
      }
      lowWaterMark = Math.max(lowWaterMark, group.lowWaterMark());
    }
  }

  /**
   * @param newest the newest segment; null if the segment to walk is the newest
   * @param lowWaterMark the low-water mark, as far as it is known
   */
  private Valid walk(long firstPosition, @Nullable SegmentHeader newest, long lowWaterMark)
      throws IOException {
    try (SegmentReader reader = SegmentReader.open(disk, segments.fileOf(firstPosition))) {
      SegmentHeader header = header(reader, firstPosition, newest);
      MarkFile.CleanEnd clean = newest == null ? expected.cleanEndOf(header) : null;
      Valid found = new Valid(reader, header, clean);
      SegmentWalk walk = found.walk;
      SegmentWalk.Step step =
          (_, group, offset) ->
              isValid(reader, group, offset, Math.max(lowWaterMark, found.lowWaterMark));
      Place start = walk.place();
      for (GroupHeader group = walk.next(step); group != null; group = walk.next(step)) {
        found.add(start, group);
        start = walk.place();
        if (newest == null) {
          read.dropBefore(found.lowWaterMark);
        }
      }
      if (clean != null && clean.endOffset() == walk.offset() && !walk.isAtGroup()) {
        return found;
      }
      reader.readAheadUpTo(Long.MAX_VALUE);
      found.laterGroupOffset = walk.laterGroup();
      return found;
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
      case DAMAGED, SHORT -> throw corrupt(reader.path(), firstPosition, "its header is damaged");
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

  private static void refuseDamage(Valid found) {
    if (found.laterGroupOffset >= 0) {
      throw new JournalCorruptException(
          found.path,
          found.walk.offset(),
          found.walk.position(),
          "no valid group of records is here, but one is at byte " + found.laterGroupOffset);
    }
  }

  /**
   * Checks that the segments from the low-water mark on join without a gap.
   *
   * @return the start of the records that views need
   */
  private Place checkOlder(Valid newest) throws IOException {
    List<Long> needed = segments.from(newest.lowWaterMark);
    if (needed.getFirst() > newest.lowWaterMark) {
      throw corrupt(
          segments.fileOf(newest.lowWaterMark),
          newest.lowWaterMark,
          "the segment that holds this position is missing; the oldest one left is "
              + segments.fileOf(needed.getFirst()));
    }
    Place start = newest.startOf(newest.lowWaterMark);
    for (int i = 0; i + 1 < needed.size(); i++) {
      Valid found = walk(needed.get(i), newest.header, newest.lowWaterMark);
      refuseDamage(found);
      start = i == 0 ? found.startOf(newest.lowWaterMark) : start;
      if (found.walk.position() != needed.get(i + 1)) {
        throw new JournalCorruptException(
            found.path,
            found.walk.offset(),
            found.walk.position(),
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
