package dev.holdfast.journal;

import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes groups to the newest segment, and begins the next one.
 *
 * <p>Owned by the leader of a flush; leadership passes through the lock of {@link GroupCommit}.
 */
final class SegmentWriter {

  static final int PAGE_BYTES = 4096;

  private static final int CHUNK_BYTES = 64 << 10;

  /** What all segments of this journal have in common, and where their salts come from. */
  record Origin(long journalId, LongSupplier salts) {}

  private final Disk disk;
  private final Segments segments;
  private final Origin origin;

  private @Nullable DiskFile file;
  private long salt;

  SegmentWriter(Disk disk, Segments segments, Origin origin) {
    this.disk = disk;
    this.segments = segments;
    this.origin = origin;
  }

  /** Goes on in a segment that was there when the journal was opened. */
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
    Group.NextSegment next = group.place().nextSegment();
    if (next != null) {
      beginSegment(next.spare(), headerOf(group, next));
    }
    DiskFile target = file;
    if (target == null) {
      throw new IllegalStateException("No segment to write position " + group.firstPosition());
    }
    group.header(salt).encode(group.buffer());
    writeBytes(target, group);
    target.force();
  }

  private SegmentHeader headerOf(Group group, Group.NextSegment next) {
    return new SegmentHeader(
        group.firstPosition(),
        origin.journalId(),
        origin.salts().getAsLong(),
        group.lowWaterMark(),
        next.spare().sizeBytes(),
        next.wallMillis());
  }

  /**
   * Makes a spare the newest segment. The header is durable before the name, so that no crash
   * leaves a segment without header, and the name before any group.
   */
  private void beginSegment(Spare spare, SegmentHeader header) throws IOException {
    close();
    try (DiskFile next = disk.open(spare.file(), Mode.WRITE)) {
      next.write(header.encode(), 0, SegmentHeader.LENGTH_BYTES, 0);
      next.force();
    }
    disk.move(spare.file(), segments.fileOf(header.firstPosition()));
    disk.forceDirectory(segments.directory());
    file = disk.open(segments.fileOf(header.firstPosition()), Mode.WRITE);
    salt = header.salt();
    segments.add(header.firstPosition());
  }

  /**
   * Writes up to the end of the page, with zeros behind the group. A page that is written in part
   * would have to be read from the disk first if it is not cached, as in a recycled segment.
   */
  private static void writeBytes(DiskFile target, Group group) throws IOException {
    long offset = group.place().offsetBytes();
    long end = offset + group.groupBytes();
    long pageEnd = (end + PAGE_BYTES - 1) & -PAGE_BYTES;
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

  /** Closes the newest segment. */
  void close() throws IOException {
    DiskFile open = file;
    file = null;
    if (open != null) {
      open.close();
    }
  }
}
