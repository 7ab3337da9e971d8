package dev.holdfast.journal.shard;

import dev.holdfast.journal.file.GroupHeader;
import dev.holdfast.journal.file.JournalScan.Tail;
import dev.holdfast.journal.file.SegmentHeader;
import dev.holdfast.journal.file.SegmentReader;
import dev.holdfast.journal.file.Segments;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where the records of a journal end. A journal of a single machine may have groups without records
 * behind them, which state its low-water mark; those of a shard have none.
 */
final class RecordsEnd {

  private RecordsEnd() {}

  /**
   * Finds the end.
   *
   * @param disk where the journal is
   * @param segments of the journal, which is whole
   * @param lastPosition of its last record
   * @return the end of the last group with records, in its segment; null if there is no record
   * @throws IOException if the segment cannot be read
   */
  static @Nullable Tail find(Disk disk, Segments segments, long lastPosition) throws IOException {
    Long segment = lastPosition == 0 ? null : segments.holding(lastPosition);
    if (segment == null) {
      return null;
    }
    Path path = segments.fileOf(segment);
    try (SegmentReader reader = SegmentReader.open(disk, path)) {
      SegmentHeader header = reader.header();
      if (header == null) {
        throw new IOException(path + " was valid a moment ago, and is no more");
      }
      long offset = SegmentHeader.LENGTH_BYTES;
      while (true) {
        GroupHeader group = reader.groupAt(offset, header.salt());
        if (group == null) {
          throw new IOException(path + " has no record " + lastPosition + " any more");
        }
        long end = offset + group.groupBytes();
        if (group.nextPosition() > lastPosition) {
          return new Tail(header, Files.size(path), offset, end);
        }
        offset = end;
      }
    }
  }
}
