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
  private Place end = new Place(0, 0, 0);

  private record Place(long segment, long position, long offset) {}

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
    try (SegmentReader reader = history.open(request.segment())) {
      SegmentHeader header = reader.header();
      if (header == null) {
        throw new JournalCorruptException(
            reader.path(), 0, request.segment(), "its header is damaged");
      }
      boolean continues =
          end.segment() == request.segment() && end.position() <= request.position();
      long offset = continues ? end.offset() : SegmentHeader.LENGTH_BYTES;
      long next = continues ? end.position() : request.segment();
      long readBytes = 0;
      while (next <= request.durable() && readBytes <= request.bytesMax()) {
        Long following = segments.after(request.segment());
        if (following != null && following == next) {
          break; // the end of the segment
        }
        GroupHeader group = reader.groupAt(offset, header.salt());
        if (group == null || group.firstPosition() != next) {
          throw damage(reader, offset, next);
        }
        if (group.nextPosition() > request.position()) {
          readBytes += group.groupBytes();
          pass(reader, group, offset, request, wanted, visitor);
        }
        offset += group.groupBytes();
        next = group.nextPosition();
      }
      end = new Place(request.segment(), next, offset);
      return Math.max(next, request.position());
    }
  }

  private static void pass(
      SegmentReader reader,
      GroupHeader group,
      long offset,
      Request request,
      RecoveryLog.Selection wanted,
      RecordVisitor visitor)
      throws IOException {
    boolean isWhole =
        reader.read(
            group,
            offset,
            record -> wanted.includes(record.viewId(), record.kind()),
            record -> {
              if (record.position() >= request.position()) {
                visitor.visit(record);
              }
            });
    if (!isWhole) {
      throw damage(reader, offset, group.firstPosition());
    }
  }

  private static JournalCorruptException damage(SegmentReader reader, long offset, long position) {
    return new JournalCorruptException(
        reader.path(), offset, position, "no valid group of records is here");
  }
}
