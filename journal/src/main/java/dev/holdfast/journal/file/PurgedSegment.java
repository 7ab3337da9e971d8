package dev.holdfast.journal.file;

import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.zip.CRC32C;

/**
 * Writes a full segment again without the records of some objects: each becomes a void record of
 * the same length, position and time. The new file ends with its last group: what lies after it,
 * which may be groups of an older segment, is left out, and so is the room that was not used. The
 * salt is a new one, so an index or a copy of the old segment is not taken for one of this segment.
 *
 * <p>Confined to one thread.
 */
public final class PurgedSegment {

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
    SegmentHeader header = source.requireHeader(nextPosition, "its header is damaged");
    add(new byte[SegmentHeader.LENGTH_BYTES]); // written when the length is known
    SegmentWalk walk = SegmentWalk.of(source, header);
    while (walk.position() < nextPosition) {
      addGroup(
          walk.require(SegmentWalk.RECORDS, "the segment is damaged here and cannot be purged"),
          walk.groupOffset());
    }
    // A group with records after the last position was torn; the next segment has its positions.
    for (GroupHeader empty = walk.next(SegmentWalk.EMPTY);
        empty != null;
        empty = walk.next(SegmentWalk.EMPTY)) {
      addGroup(empty, walk.groupOffset());
    }
    long allocatedBytes = pages(walk.offset());
    addZeros(allocatedBytes - walk.offset());
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

  /**
   * {@return the segments that have records of objects, by their first positions}
   *
   * @param history the segments
   * @param extents for each object the position up to which it is asked for
   */
  public static SortedSet<Long> withRecords(SegmentHistory history, Map<ObjectKey, Long> extents) {
    SortedSet<Long> segments = new TreeSet<>();
    extents.forEach(
        (key, upTo) -> {
          long hash = SegmentIndex.hashOf(key);
          SegmentHistory.Found found = history.find(hash, upTo);
          while (found != null) {
            segments.add(found.segment());
            found = history.find(hash, found.segment() - 1);
          }
        });
    return segments;
  }

  /**
   * Fills what lies after the last group of a full segment with zeros: that can be records of an
   * older one. Synced.
   *
   * @param segment the file of the segment
   * @param nextPosition the first position after it
   * @throws JournalCorruptException if the segment is damaged
   */
  public static void eraseRest(Disk disk, Path segment, long nextPosition) throws IOException {
    long end;
    long size;
    try (SegmentReader source = SegmentReader.open(disk, segment)) {
      SegmentWalk walk =
          SegmentWalk.of(source, source.requireHeader(nextPosition, "its header is damaged"));
      walk.requireUpTo(nextPosition - 1, SegmentWalk.HEADER, "the segment is damaged here");
      end = walk.offset();
      size = source.sizeBytes();
      if (!hasRest(source, end)) {
        return;
      }
    }
    try (DiskFile target = disk.open(segment, Mode.WRITE)) {
      byte[] zeros = new byte[CHUNK_BYTES];
      for (long at = end; at < size; at += CHUNK_BYTES) {
        target.write(zeros, 0, (int) Math.min(CHUNK_BYTES, size - at), at);
      }
      target.force();
    }
  }

  /** {@return the least size of a file with groups up to an offset} */
  static long pages(long endOffset) {
    return (endOffset + SegmentHeader.PAGE_BYTES - 1) & -SegmentHeader.PAGE_BYTES;
  }

  /** The header has a digest of the records' checksums, so the records are read twice. */
  private void addGroup(GroupHeader group, long offset) throws IOException {
    CRC32C digest = new CRC32C();
    forEach(
        group,
        offset,
        (record, position, at) -> {
          byte[] head = headOf(record, at);
          byte[] written = isPurged(record, head, position) ? VoidRecord.headerOf(record) : head;
          digest.update(written, CHECKSUM_OFFSET, Integer.BYTES);
          return true;
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
    forEach(
        group,
        offset,
        (record, position, at) -> {
          if (isPurged(record, headOf(record, at), position)) {
            add(VoidRecord.headerOf(record));
            addZeros(record.recordBytes() - RecordHeader.LENGTH_BYTES);
          } else {
            copy(at, record.recordBytes());
          }
          return true;
        });
  }

  private void forEach(GroupHeader group, long offset, SegmentReader.RecordStep step)
      throws IOException {
    if (!source.forEach(group, offset, step)) {
      throw new IOException(source.path() + " changed while it was read");
    }
  }

  private byte[] headOf(RecordHeader record, long at) throws IOException {
    return source.bytesAt(at, RecordHeader.LENGTH_BYTES + record.namespaceBytes());
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
   * @param walk at the end of its last group that has records
   */
  static boolean hasRest(SegmentReader reader, SegmentWalk walk) throws IOException {
    GroupHeader empty;
    do {
      empty = walk.next(SegmentWalk.EMPTY);
    } while (empty != null);
    return reader.sizeBytes() > 2 * pages(walk.offset()) || hasRest(reader, walk.offset());
  }
}
