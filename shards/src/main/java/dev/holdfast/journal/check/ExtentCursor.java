package dev.holdfast.journal.check;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.check.SegmentSurvey.Extent;
import dev.holdfast.journal.file.GroupHeader;
import dev.holdfast.journal.file.RecordHeader;
import dev.holdfast.journal.file.SegmentReader;
import dev.holdfast.journal.file.SegmentWalk;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the records of groups, of which one record is in memory. Confined to one thread. */
final class ExtentCursor implements RecordCursor {

  private final Disk disk;
  private final Iterator<Extent> extents;
  private @Nullable Open open;

  /** The next record. */
  private long position;

  /** Where it is, unless its group has ended. */
  private long offset;

  /** The groups that are read now. */
  private record Open(Extent extent, SegmentReader reader, SegmentWalk walk) {}

  ExtentCursor(Disk disk, List<Extent> extents) {
    this.disk = disk;
    this.extents = extents.iterator();
  }

  @Override
  public @Nullable JournalRecord next() {
    Open now = open;
    while (now == null || position == now.extent().endPosition()) {
      if (!extents.hasNext()) {
        return null;
      }
      now = begin(extents.next());
    }
    return read(now);
  }

  private JournalRecord read(Open now) {
    try {
      while (position == now.walk().position()) {
        if (now.walk().next(SegmentWalk.HEADER) == null) {
          throw changed();
        }
        offset = now.walk().groupOffset() + GroupHeader.LENGTH_BYTES;
      }
      RecordHeader header = now.reader().recordHeaderAt(offset);
      JournalRecord record = header == null ? null : now.reader().record(header, offset, position);
      if (header == null || record == null) {
        throw changed();
      }
      offset += header.recordBytes();
      position++;
      return record.copied(); // the reader uses its memory again
    } catch (IOException e) {
      throw failed(now.extent(), e);
    }
  }

  private static IOException changed() {
    return new IOException("the segment was valid a moment ago, and no longer is");
  }

  private Open begin(Extent extent) {
    close();
    try {
      SegmentReader reader = SegmentReader.open(disk, extent.file());
      Open now = new Open(extent, reader, new SegmentWalk(reader, extent.salt(), extent.start()));
      open = now;
      position = extent.firstPosition();
      return now;
    } catch (IOException e) {
      throw failed(extent, e);
    }
  }

  private static DataDirectoryException failed(Extent extent, IOException e) {
    return new DataDirectoryException(extent.file(), "The journal segment cannot be read", e);
  }

  @Override
  public void close() {
    Open now = open;
    open = null;
    if (now != null) {
      try {
        now.reader().close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
