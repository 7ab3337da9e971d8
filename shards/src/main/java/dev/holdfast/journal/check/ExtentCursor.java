package dev.holdfast.journal.check;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.check.SegmentSurvey.Extent;
import dev.holdfast.journal.file.SegmentReader;
import dev.holdfast.journal.file.SegmentWalk;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the records of groups, of which one is in memory. Confined to one thread. */
final class ExtentCursor implements RecordCursor {

  private final Disk disk;
  private final Iterator<Extent> extents;
  private final Deque<JournalRecord> group = new ArrayDeque<>();
  private final SegmentWalk.Step step =
      SegmentWalk.Selected.from(0, (_, _) -> true, record -> group.add(copy(record)));
  private @Nullable Open open;

  /** The groups that are read now. */
  private record Open(Extent extent, SegmentReader reader, SegmentWalk walk) {}

  ExtentCursor(Disk disk, List<Extent> extents) {
    this.disk = disk;
    this.extents = extents.iterator();
  }

  @Override
  public @Nullable JournalRecord next() {
    while (group.isEmpty()) {
      Open now = open;
      if (now != null && now.walk().position() < now.extent().endPosition()) {
        read(now);
      } else if (extents.hasNext()) {
        begin(extents.next());
      } else {
        return null;
      }
    }
    return group.remove();
  }

  private void read(Open now) {
    try {
      if (now.walk().next(step) == null) {
        throw new IOException("the segment was valid a moment ago, and no longer is");
      }
    } catch (IOException e) {
      throw failed(now.extent(), e);
    }
  }

  private void begin(Extent extent) {
    close();
    try {
      SegmentReader reader = SegmentReader.open(disk, extent.file());
      open = new Open(extent, reader, new SegmentWalk(reader, extent.salt(), extent.start()));
    } catch (IOException e) {
      throw failed(extent, e);
    }
  }

  private static DataDirectoryException failed(Extent extent, IOException e) {
    return new DataDirectoryException(extent.file(), "The journal segment cannot be read", e);
  }

  /** The reader uses its memory again. */
  private static JournalRecord copy(JournalRecord record) {
    ByteBuffer payload = record.payload();
    return new JournalRecord(
        record.position(),
        record.wallMillis(),
        record.kind(),
        record.viewId(),
        record.key(),
        record.link(),
        ByteBuffer.allocate(payload.remaining()).put(payload).flip().asReadOnlyBuffer());
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
