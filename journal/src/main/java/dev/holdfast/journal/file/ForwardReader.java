package dev.holdfast.journal.file;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.RecordVisitor;
import dev.holdfast.spi.RecoveryLog;
import java.io.IOException;
import java.util.function.LongSupplier;

/**
 * Reads durable groups of the segments one after the other. It remembers the offset where it
 * stopped: to search a segment for it again would make each read as long as the segment.
 */
final class ForwardReader implements JournalHistory.Reader {

  private final SegmentHistory history;
  private final Segments segments;
  private final LongSupplier durablePosition;

  /** Where the last read ended. */
  private SegmentWalk.Place end = SegmentWalk.Place.startOf(0);

  ForwardReader(SegmentHistory history, Segments segments, LongSupplier durablePosition) {
    this.history = history;
    this.segments = segments;
    this.durablePosition = durablePosition;
  }

  @Override
  public long read(
      long position, int bytesMax, RecoveryLog.Selection wanted, RecordVisitor visitor) {
    long durable = durablePosition.getAsLong();
    Long segment = segments.holding(position);
    if (position > durable || segment == null) {
      return position;
    }
    try {
      return read(new Request(segment, position, durable, bytesMax), wanted, visitor);
    } catch (IOException e) {
      if (!history.holds(segment)) {
        return position; // its file was deleted meanwhile
      }
      throw new DataDirectoryException(segments.fileOf(segment), "The journal cannot be read", e);
    } catch (JournalCorruptException e) {
      if (!history.holds(segment)) {
        return position; // its file is reused meanwhile
      }
      throw e;
    }
  }

  private record Request(long segment, long position, long durable, int bytesMax) {}

  private long read(Request request, RecoveryLog.Selection wanted, RecordVisitor visitor)
      throws IOException {
    long segment = request.segment();
    try (SegmentReader reader = history.open(segment)) {
      reader.readAtOnce(request.bytesMax());
      SegmentHeader header = reader.requireHeader(segment, "its header is damaged");
      SegmentWalk walk =
          new SegmentWalk(reader, header.salt(), end.towards(segment, request.position()));
      SegmentWalk.Step step = SegmentWalk.Selected.from(request.position(), wanted, visitor);
      long readBytes = 0;
      while (walk.position() <= request.durable()
          && readBytes <= request.bytesMax()
          && !isEnd(segment, walk.position())) {
        GroupHeader group = walk.require(step, "no valid group of records is here");
        readBytes += group.nextPosition() > request.position() ? group.groupBytes() : 0;
      }
      end = walk.place();
      return Math.max(walk.position(), request.position());
    }
  }

  private boolean isEnd(long segment, long position) {
    Long following = segments.after(segment);
    return following != null && following == position;
  }
}
