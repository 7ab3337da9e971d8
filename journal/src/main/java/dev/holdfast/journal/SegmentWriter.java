package dev.holdfast.journal;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.file.MarkFile;
import dev.holdfast.journal.file.SegmentHeader;
import dev.holdfast.journal.file.Segments;
import dev.holdfast.journal.file.Spare;
import dev.holdfast.journal.group.Group;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes groups to the newest segment, and begins the next one.
 *
 * <p>Confined to the leader of a flush; leadership passes through the lock of {@link GroupCommit}.
 */
final class SegmentWriter {

  private static final int CHUNK_BYTES = 64 << 10;

  /**
   * What all segments of this journal share.
   *
   * @param journalId the journal id in their headers
   * @param salts the source of their salts
   * @param mark records that they exist; null if the file does not exist
   * @param ownership checked before every write
   */
  record Origin(long journalId, LongSupplier salts, @Nullable MarkFile mark, Ownership ownership) {}

  private final Disk disk;
  private final Segments segments;
  private final Origin origin;

  private @Nullable DiskFile file;
  private long salt;
  private @Nullable Beginning beginning;

  /** A segment that has its header and its name, possibly not durably, and is not open. */
  private record Beginning(SegmentHeader header) {}

  SegmentWriter(Disk disk, Segments segments, Origin origin) {
    this.disk = disk;
    this.segments = segments;
    this.origin = origin;
  }

  /** Continues in a segment that existed when the journal was opened. */
  void resume(DiskFile openFile, long segmentSalt) {
    file = openFile;
    salt = segmentSalt;
  }

  /**
   * Writes a group to its place and makes it durable.
   *
   * @param group sealed
   */
  void write(Group group) throws IOException {
    DiskFile target = file;
    if (target == null) {
      throw new IllegalStateException("No segment to write position " + group.firstPosition());
    }
    assert group.place().offsetBytes() >= SegmentHeader.LENGTH_BYTES;
    group.header(salt).encode(group.buffer());
    origin.ownership().requireLately();
    writeBytes(target, group);
    target.force();
    // Checked again: a runtime that has taken the directory meanwhile may not have seen these
    // bytes.
    origin.ownership().requireLately();
  }

  /**
   * Makes a spare the newest segment, or continues an earlier call that could not finish. The
   * header is durable before the name, so that no crash leaves a segment without a header, and the
   * name is durable before any group.
   *
   * @param spare the space for it; null to continue
   * @return the place of its first group
   * @throws DataDirectoryException if a file cannot be opened; the call can be repeated
   * @throws IOException if writing or syncing fails, which is final
   */
  Group.Place begin(@Nullable Spare spare, long firstPosition, long lowWaterMark, long wallMillis)
      throws IOException {
    assert firstPosition > 0;
    origin.ownership().require();
    Beginning begun = beginning;
    if (begun == null) {
      if (spare == null) {
        throw new IllegalArgumentException("No room for the segment of position " + firstPosition);
      }
      SegmentHeader header =
          new SegmentHeader(
              firstPosition,
              origin.journalId(),
              origin.salts().getAsLong(),
              lowWaterMark,
              spare.sizeBytes(),
              wallMillis,
              origin.mark() != null);
      try (DiskFile next = opened(spare.file())) {
        next.write(header.encode(), 0, SegmentHeader.LENGTH_BYTES, 0);
        next.force();
      }
      disk.move(spare.file(), segments.fileOf(firstPosition));
      begun = new Beginning(header);
      beginning = begun;
    }
    finish(begun.header());
    assert file != null;
    beginning = null;
    return Group.Place.first(begun.header().allocatedBytes());
  }

  private void finish(SegmentHeader header) throws IOException {
    Path path = segments.fileOf(header.firstPosition());
    try {
      disk.forceDirectory(segments.directory());
    } catch (FileSystemException e) {
      throw notOpened(segments.directory(), e); // not synced, so the call may be repeated
    }
    MarkFile mark = origin.mark();
    if (mark != null) {
      begun(mark, header.firstPosition());
    }
    DiskFile next = opened(path);
    try {
      close();
    } finally {
      file = next;
      salt = header.salt();
      segments.add(header.firstPosition());
    }
  }

  /** Before any group is in the segment: from now on a missing segment is detected. */
  private static void begun(MarkFile mark, long firstPosition) {
    try {
      mark.begun(firstPosition);
    } catch (IOException e) {
      throw new DataDirectoryException(
          mark.file(),
          "The start of a journal segment cannot be recorded ("
              + e.getMessage()
              + "); nothing was appended. Check the disk and try again",
          e);
    }
  }

  private DiskFile opened(Path path) {
    try {
      return disk.open(path, Mode.WRITE);
    } catch (IOException e) {
      throw notOpened(path, e);
    }
  }

  private static DataDirectoryException notOpened(Path path, IOException e) {
    return new DataDirectoryException(
        path,
        "The next journal segment cannot be opened ("
            + e.getMessage()
            + "); nothing was appended. If too many files are open, raise the limit of the process"
            + " or close some, and try again",
        e);
  }

  /** {@return whether a segment has its name but cannot be written yet} */
  boolean isBeginning() {
    return beginning != null;
  }

  /**
   * Writes up to the end of the page, with zeros after the group. A partly written page would have
   * to be read from the disk first if it is not cached, as in a recycled segment.
   */
  private static void writeBytes(DiskFile target, Group group) throws IOException {
    long offset = group.place().offsetBytes();
    long end = offset + group.groupBytes();
    long pageEnd = (end + SegmentHeader.PAGE_BYTES - 1) & -SegmentHeader.PAGE_BYTES;
    byte[] buffer = group.buffer();
    int length = group.lengthBytes();
    ByteBuffer large = group.largePayload();
    if (large == null) {
      int filled = (int) (pageEnd - offset);
      Arrays.fill(buffer, length, filled, (byte) 0);
      target.write(buffer, 0, filled, offset);
      return;
    }
    target.write(buffer, 0, length, offset);
    long largeEnd = writeLarge(target, large, offset + length);
    target.write(new byte[(int) (pageEnd - largeEnd)], 0, (int) (pageEnd - largeEnd), largeEnd);
  }

  private static long writeLarge(DiskFile target, ByteBuffer payload, long offset)
      throws IOException {
    if (payload.hasArray()) {
      int start = payload.arrayOffset() + payload.position();
      target.write(payload.array(), start, payload.remaining(), offset);
      return offset + payload.remaining();
    }
    ByteBuffer rest = payload.duplicate();
    byte[] chunk = new byte[Math.min(CHUNK_BYTES, rest.remaining())];
    long at = offset;
    while (rest.hasRemaining()) {
      int count = Math.min(chunk.length, rest.remaining());
      rest.get(chunk, 0, count);
      target.write(chunk, 0, count, at);
      at += count;
    }
    return at;
  }

  /** {@return whether the newest segment begins with a position, which no record has yet} */
  boolean isNewestWithout(long nextPosition) {
    Long newest = segments.holding(nextPosition);
    return newest != null && newest == nextPosition;
  }

  /** {@return the salt of the newest segment} */
  long salt() {
    return salt;
  }

  /** Closes the newest segment. */
  void close() throws IOException {
    DiskFile open = file;
    file = null;
    if (open != null) {
      open.close();
    }
  }
}
