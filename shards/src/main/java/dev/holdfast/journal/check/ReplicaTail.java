package dev.holdfast.journal.check;

import dev.holdfast.journal.file.SegmentHeader;
import dev.holdfast.journal.file.Segments;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileSum;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The newest segments of a replica that no process has open. What is behind its saved point may be
 * whole or not: the log writes it again. As far as it is whole, the files of the objects may have
 * it.
 */
public final class ReplicaTail {

  private ReplicaTail() {}

  /**
   * What a replica states about its journal.
   *
   * @param journalId the id of the journal
   * @param oldest the first position that it keeps
   * @param lowWaterMark the first position that the files of the objects need
   * @param lastPosition the last record that is durable
   * @param segment first position of the newest segment then; 0 if there is none
   * @param salt of that segment
   * @param endOffset the offset after its last group
   */
  public record SavedEnd(
      long journalId,
      long oldest,
      long lowWaterMark,
      long lastPosition,
      long segment,
      long salt,
      long endOffset) {}

  /**
   * {@return the segment of the saved end, if it is there, and those behind it that continue it}
   */
  static List<SegmentSurvey> read(Disk disk, Segments segments, SavedEnd end) throws IOException {
    List<SegmentSurvey> tail = new ArrayList<>();
    for (long first : segments.from(end.segment())) {
      if (first < end.segment()) {
        continue; // the segment of the end is missing
      }
      SegmentSurvey found = SegmentSurvey.read(disk, segments.fileOf(first), first);
      if (first == end.segment()) {
        found.ignoreFrom(end.endOffset());
      } else {
        found.ignoreFrom(0);
        if (tail.isEmpty() || !continues(tail.getLast(), found, end)) {
          break;
        }
      }
      tail.add(found);
    }
    return tail;
  }

  private static boolean continues(SegmentSurvey last, SegmentSurvey next, SavedEnd end) {
    return last.endPosition == next.firstPosition
        && next.header != null
        && next.header.journalId() == end.journalId()
        && !next.extents.isEmpty();
  }

  /**
   * Makes the journal of a single machine of that of a replica, in another directory: the segments
   * up to the end, of which the newest is a copy, and the others are links.
   *
   * @param disk has both
   * @param directory the segments of the replica
   * @param end what it states
   * @param target an empty directory
   * @param link makes a link at the first path to the second
   * @return the position of the last record; 0 if there is none
   * @throws IOException if a file cannot be read or written
   */
  public static long copy(Disk disk, Path directory, SavedEnd end, Path target, Link link)
      throws IOException {
    Segments segments = Segments.list(disk, directory);
    List<SegmentSurvey> tail = end.segment() == 0 ? List.of() : read(disk, segments, end);
    SegmentSurvey newest = tail.isEmpty() ? null : tail.getLast();
    if (newest == null) {
      return 0;
    }
    for (long first : segments.from(0)) {
      if (first < newest.firstPosition) {
        link.make(Segments.fileOf(target, first), segments.fileOf(first));
        Path index = segments.indexFileOf(first);
        if (first < end.segment() && disk.exists(index)) {
          link.make(target.resolve(index.getFileName()), index);
        }
      }
    }
    copyNewest(disk, newest, end, Segments.fileOf(target, newest.firstPosition));
    return newest.endPosition - 1;
  }

  /** Makes links. */
  public interface Link {

    /** Makes one. */
    void make(Path link, Path file) throws IOException;
  }

  /** The header states the low-water mark: the groups of a shard do not have it. */
  private static void copyNewest(Disk disk, SegmentSurvey newest, SavedEnd end, Path target)
      throws IOException {
    SegmentHeader known = newest.header;
    try (DiskFile from = disk.open(newest.path, Mode.READ);
        DiskFile to = disk.open(target, Mode.CREATE)) {
      if (FileSum.copy(from, to, newest.endOffset, 0).bytes() != newest.endOffset) {
        throw new IOException(newest.path + " became shorter while it was read");
      }
      if (known != null) {
        to.write(headerOf(known, end), 0, SegmentHeader.LENGTH_BYTES, 0);
        if (known.allocatedBytes() > newest.endOffset) {
          to.write(new byte[1], 0, 1, known.allocatedBytes() - 1);
        }
      }
    }
  }

  private static byte[] headerOf(SegmentHeader known, SavedEnd end) {
    return new SegmentHeader(
            known.firstPosition(),
            known.journalId(),
            known.salt(),
            end.lowWaterMark(),
            known.allocatedBytes(),
            known.wallMillis(),
            /* isMarked= */ false)
        .encode();
  }
}
