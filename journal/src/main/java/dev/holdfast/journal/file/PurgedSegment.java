package dev.holdfast.journal.file;

import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * Writes a full segment again without the records of some objects: each becomes a void record of
 * the same length, position and time. The new file ends with its last group: what lies after it,
 * which may be groups of an older segment, is left out, and so is the room that was not used. The
 * salt is a new one, so an index or a copy of the old segment is not taken for one of this segment.
 *
 * <p>Confined to one thread.
 */
final class PurgedSegment {

  private static final int CHUNK_BYTES = 1 << 20;

  private static final int CHECKSUM_OFFSET = VoidRecord.CHECKSUM_OFFSET;

  private final SegmentReader source;
  private final Map<ObjectKey, Long> extents;
  private final long salt;
  private final DiskFile target;
  private final byte[] buffer = new byte[CHUNK_BYTES];
  private int buffered;
  private long writtenBytes;

  private PurgedSegment(
      SegmentReader source, Map<ObjectKey, Long> extents, long salt, DiskFile target) {
    this.source = source;
    this.extents = extents;
    this.salt = salt;
    this.target = target;
  }

  /**
   * Writes a segment to another file, and syncs that.
   *
   * @param segment the file of the segment
   * @param nextPosition the first position after it
   * @param extents for each object the position up to which its records are replaced
   * @param fresh the file to write, which does not exist, and its salt
   * @throws JournalCorruptException if the segment is damaged
   */
  static void write(
      Disk disk, Path segment, long nextPosition, Map<ObjectKey, Long> extents, Fresh fresh)
      throws IOException {
    try (SegmentReader source = SegmentReader.open(disk, segment);
        DiskFile target = disk.open(fresh.file(), Mode.CREATE)) {
      new PurgedSegment(source, extents, fresh.salt(), target).write(nextPosition);
      target.force();
    }
  }

  /** A segment that is written. */
  record Fresh(Path file, long salt) {}

  private void write(long nextPosition) throws IOException {
    SegmentHeader header = source.header();
    if (header == null) {
      throw new JournalCorruptException(source.path(), 0, nextPosition, "its header is damaged");
    }
    add(new byte[SegmentHeader.LENGTH_BYTES]); // written when the length is known
    long offset = SegmentHeader.LENGTH_BYTES;
    long position = header.firstPosition();
    while (position < nextPosition || source.groupAt(offset, header.salt()) != null) {
      GroupHeader group = source.groupAt(offset, header.salt());
      if (group == null || group.firstPosition() != position || !source.isValid(group, offset)) {
        throw new JournalCorruptException(
            source.path(), offset, position, "the segment is damaged here and cannot be purged");
      }
      addGroup(group, offset);
      offset += group.groupBytes();
      position = group.nextPosition();
    }
    long allocatedBytes = pages(offset);
    addZeros(allocatedBytes - offset);
    flush();
    byte[] page =
        new SegmentHeader(
                header.firstPosition(),
                header.journalId(),
                salt,
                header.lowWaterMark(),
                allocatedBytes,
                header.wallMillis(),
                header.isMarked())
            .encode();
    target.write(page, 0, page.length, 0);
  }

  /** {@return the least size of a file with groups up to an offset} */
  static long pages(long endOffset) {
    return (endOffset + SegmentHeader.PAGE_BYTES - 1) & -SegmentHeader.PAGE_BYTES;
  }

  /** The header has a digest of the records' checksums, so the records are read twice. */
  private void addGroup(GroupHeader group, long offset) throws IOException {
    CRC32C digest = new CRC32C();
    forEachRecord(
        group,
        offset,
        (record, head, position, at) -> {
          byte[] written = isPurged(record, head, position) ? VoidRecord.headerOf(record) : head;
          digest.update(written, CHECKSUM_OFFSET, Integer.BYTES);
        });
    byte[] header = new byte[GroupHeader.LENGTH_BYTES];
    new GroupHeader(
            salt,
            group.firstPosition(),
            group.recordCount(),
            (int) digest.getValue(),
            group.bodyBytes(),
            group.lowWaterMark())
        .encode(header);
    add(header);
    forEachRecord(
        group,
        offset,
        (record, head, position, at) -> {
          if (isPurged(record, head, position)) {
            add(VoidRecord.headerOf(record));
            addZeros(record.recordBytes() - RecordHeader.LENGTH_BYTES);
          } else {
            copy(at, record.recordBytes());
          }
        });
  }

  private interface Visitor {
    void visit(RecordHeader record, byte[] head, long position, long at) throws IOException;
  }

  /** Passes the records of a valid group with the bytes of their headers and namespaces. */
  private void forEachRecord(GroupHeader group, long offset, Visitor visitor) throws IOException {
    long at = offset + GroupHeader.LENGTH_BYTES;
    for (int each = 0; each < group.recordCount(); each++) {
      RecordHeader record = RecordHeader.decode(source.bytesAt(at, RecordHeader.LENGTH_BYTES), 0);
      if (record == null) {
        throw new IOException(source.path() + " changed while it was read");
      }
      byte[] head = source.bytesAt(at, RecordHeader.LENGTH_BYTES + record.namespaceBytes());
      visitor.visit(record, head, group.firstPosition() + each, at);
      at += record.recordBytes();
    }
  }

  private boolean isPurged(RecordHeader record, byte[] head, long position) {
    Long upTo = extents.get(record.keyWith(head, RecordHeader.LENGTH_BYTES));
    return upTo != null && position <= upTo;
  }

  private void copy(long offset, long lengthBytes) throws IOException {
    for (long done = 0; done < lengthBytes; ) {
      byte[] chunk = source.bytesAt(offset + done, (int) Math.min(CHUNK_BYTES, lengthBytes - done));
      add(chunk);
      done += chunk.length;
    }
  }

  private void addZeros(long lengthBytes) throws IOException {
    byte[] zeros = new byte[(int) Math.min(CHUNK_BYTES, Math.max(0, lengthBytes))];
    for (long done = 0; done < lengthBytes; done += zeros.length) {
      add(zeros, (int) Math.min(zeros.length, lengthBytes - done));
    }
  }

  private void add(byte[] bytes) throws IOException {
    add(bytes, bytes.length);
  }

  private void add(byte[] bytes, int lengthBytes) throws IOException {
    for (int done = 0; done < lengthBytes; ) {
      if (buffered == buffer.length) {
        flush();
      }
      int count = Math.min(lengthBytes - done, buffer.length - buffered);
      System.arraycopy(bytes, done, buffer, buffered, count);
      buffered += count;
      done += count;
    }
  }

  private void flush() throws IOException {
    target.write(buffer, 0, buffered, writtenBytes);
    writtenBytes += buffered;
    buffered = 0;
    if (writtenBytes % JournalBounds.ZEROS_SYNCED_BYTES == 0) {
      target.force(); // in small steps: flushes of the journal queue behind the data of one sync
    }
  }

  /** {@return whether anything but zeros lies in a file from an offset on} */
  private static boolean hasRest(SegmentReader reader, long offset) throws IOException {
    for (long at = offset; at < reader.sizeBytes(); ) {
      byte[] chunk = reader.bytesAt(at, CHUNK_BYTES);
      for (byte each : chunk) {
        if (each != 0) {
          return true;
        }
      }
      at += chunk.length;
    }
    return false;
  }

  /**
   * {@return whether a full segment is written again for what lies after its last group alone: more
   * room than it uses, or groups of an older segment, which can be those of purged objects}
   *
   * @param endOffset the offset after its last group that has records
   */
  static boolean hasRest(SegmentReader reader, long endOffset, long salt) throws IOException {
    long end = endOffset;
    GroupHeader empty = reader.groupAt(end, salt);
    while (empty != null && empty.recordCount() == 0) {
      end += empty.groupBytes();
      empty = reader.groupAt(end, salt);
    }
    return reader.sizeBytes() > 2 * pages(end) || hasRest(reader, end);
  }
}
