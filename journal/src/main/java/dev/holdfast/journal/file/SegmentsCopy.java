package dev.holdfast.journal.file;

import dev.holdfast.journal.file.MarkFile.Mark;
import dev.holdfast.journal.file.SegmentWalk.Place;
import dev.holdfast.spi.backup.BackupTarget;
import dev.holdfast.spi.backup.BackupTarget.Part;
import dev.holdfast.spi.backup.BackupTarget.Source;
import dev.holdfast.spi.backup.JournalCopy;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Copies the segments of a journal that is written meanwhile, and writes the mark of the copy. The
 * segment with the end is cut after the group of the end; so the copy has no torn tail, and the
 * mark states its exact end.
 *
 * <p>Confined to one thread.
 */
public final class SegmentsCopy implements JournalCopy {

  private final Disk disk;
  private final Segments segments;
  private final Pinned pinned;
  private final Names names;
  private final BackupTarget target;
  private final Runnable unpin;
  private final Set<Long> copied = new HashSet<>();

  private boolean closed;

  /**
   * The names of the files in a data directory.
   *
   * @param directory the directory of the segments
   * @param mark the mark
   */
  public record Names(String directory, String mark) {}

  /**
   * What stays as it is until the end of the copy.
   *
   * @param journalId the id in the mark of the copy
   * @param lowWaterMark the first position that a view needs
   */
  public record Pinned(long journalId, long lowWaterMark) {}

  /**
   * Begins the copy; the segments are pinned.
   *
   * @param pinned what does not change meanwhile
   * @param unpin called once, at the end
   */
  public SegmentsCopy(
      Disk disk,
      Segments segments,
      Pinned pinned,
      Names names,
      BackupTarget target,
      Runnable unpin) {
    this.disk = disk;
    this.segments = segments;
    this.pinned = pinned;
    this.names = names;
    this.target = target;
    this.unpin = unpin;
  }

  @Override
  public long journalId() {
    return pinned.journalId();
  }

  @Override
  public long lowWaterMark() {
    return pinned.lowWaterMark();
  }

  @Override
  public void copySegments() throws IOException {
    for (long segment : segments.from(0)) {
      // The next one is begun when all groups of this one are durable.
      if (segments.after(segment) != null) {
        copyFull(segment);
      }
    }
  }

  @Override
  public void copyUpTo(long endPosition) throws IOException {
    List<Long> needed = new ArrayList<>();
    if (endPosition > 0) {
      needed.addAll(segments.from(0));
      needed.removeIf(each -> each > endPosition);
    }
    long newest = needed.isEmpty() ? 0 : needed.removeLast();
    for (long segment : needed) {
      copyFull(segment);
    }
    if (newest > 0) {
      copyPart(newest, endPosition);
    }
    target.put(
        names.mark(), MarkFile.encode(new Mark(pinned.journalId(), endPosition, newest, null)));
  }

  private void copyFull(long segment) throws IOException {
    if (!copied.add(segment)) {
      return;
    }
    String version;
    try (SegmentReader reader = SegmentReader.open(disk, segments.fileOf(segment))) {
      version = String.format("%016x", header(reader).salt());
    }
    if (!target.keep(nameOf(segment), version)) {
      target.put(Source.whole(nameOf(segment), segments.fileOf(segment), () -> version));
    }
  }

  /** Copies the groups up to a position that one of them ends with. */
  private void copyPart(long segment, long endPosition) throws IOException {
    Path file = segments.fileOf(segment);
    SegmentHeader header;
    long endOffset;
    try (SegmentReader reader = SegmentReader.open(disk, file)) {
      header = header(reader);
      SegmentWalk walk = new SegmentWalk(reader, header.salt(), Place.startOf(segment));
      while (walk.position() <= endPosition) {
        if (walk.next(SegmentWalk.HEADER) == null) {
          throw new IOException(file + " has no group of position " + walk.position());
        }
      }
      if (walk.position() != endPosition + 1) {
        throw new IOException(file + " has no group that ends with position " + endPosition);
      }
      endOffset = walk.offset();
    }
    Part part = new Part(endOffset, header.allocatedBytes(), /* isImmutable= */ false);
    target.put(new Source(nameOf(segment), file, part, () -> null));
  }

  private static SegmentHeader header(SegmentReader reader) throws IOException {
    SegmentHeader header = reader.header();
    if (header == null) {
      throw new IOException(reader.path() + " has a damaged header");
    }
    return header;
  }

  private String nameOf(long segment) {
    return names.directory() + "/" + segments.fileOf(segment).getFileName();
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      unpin.run();
    }
  }
}
