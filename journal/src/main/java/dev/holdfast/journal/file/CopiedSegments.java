package dev.holdfast.journal.file;

import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes the segments of a journal that is made of another one. It can be opened when {@link
 * #finish} has returned. Confined to one thread.
 */
public final class CopiedSegments implements AutoCloseable {

  private final Disk disk;
  private final Path directory;
  private final long journalId;
  private final long segmentBytes;
  private final LongSupplier salts;

  private long lowWaterMark = 1;
  private long nextPosition;
  private @Nullable DiskFile file;
  private long salt;
  private long segmentPosition;
  private long segmentWallMillis;
  private long segmentLowWaterMark;
  private long offset;

  /**
   * Begins a journal.
   *
   * @param disk where it is written
   * @param directory of the segments; created if missing, and empty
   * @param journalId the id of the journal
   * @param firstPosition the position of its first record
   * @param segmentBytes the size beyond which another segment begins
   * @param salts random numbers
   * @throws IOException if the directory cannot be created
   */
  public CopiedSegments(
      Disk disk,
      Path directory,
      long journalId,
      long firstPosition,
      long segmentBytes,
      LongSupplier salts)
      throws IOException {
    this.disk = disk;
    this.directory = directory;
    this.journalId = journalId;
    this.nextPosition = firstPosition;
    this.segmentBytes = segmentBytes;
    this.salts = salts;
    disk.ensureDirectory(directory);
  }

  /** {@return the directory of the segments} */
  public Path directory() {
    return directory;
  }

  /** {@return the position of the next record} */
  public long nextPosition() {
    return nextPosition;
  }

  /**
   * States the first position that a view needs: groups that follow have it, as far as they reach.
   *
   * @param position not before an earlier one
   */
  public void needFrom(long position) {
    lowWaterMark = position;
  }

  /**
   * Writes a group.
   *
   * @param group room for the header, then the records; the header is written
   * @param length of the group in bytes
   * @param count the number of records
   * @param digest the checksum of their checksums
   * @param wallMillis the time of a segment that begins with it
   * @throws IOException if it cannot be written
   */
  public void write(byte[] group, int length, int count, int digest, long wallMillis)
      throws IOException {
    DiskFile open = file;
    if (open == null || offset + length > segmentBytes) {
      endSegment();
      open = begin(wallMillis);
    }
    new GroupHeader(
            salt,
            nextPosition,
            count,
            digest,
            length - GroupHeader.LENGTH_BYTES,
            Math.min(lowWaterMark, nextPosition))
        .encode(group);
    open.write(group, 0, length, offset);
    offset += length;
    nextPosition += count;
  }

  private DiskFile begin(long wallMillis) throws IOException {
    salt = salts.getAsLong();
    segmentPosition = nextPosition;
    segmentWallMillis = wallMillis;
    segmentLowWaterMark = Math.min(lowWaterMark, nextPosition);
    offset = SegmentHeader.LENGTH_BYTES;
    DiskFile open = disk.open(Segments.fileOf(directory, nextPosition), Mode.CREATE);
    file = open;
    return open;
  }

  /**
   * Ends the present segment, if there is one: writes its header, which has the size of the file,
   * and makes the file durable. The next group begins another segment.
   *
   * @throws IOException if it cannot be written
   */
  public void endSegment() throws IOException {
    DiskFile open = file;
    if (open == null) {
      return;
    }
    // With room for the group without records that the next close writes.
    long page = SegmentHeader.PAGE_BYTES;
    long sizeBytes = (offset + GroupHeader.LENGTH_BYTES + page - 1) / page * page;
    byte[] rest = new byte[Math.toIntExact(sizeBytes - offset)];
    open.write(rest, 0, rest.length, offset);
    SegmentHeader header =
        new SegmentHeader(
            segmentPosition,
            journalId,
            salt,
            segmentLowWaterMark,
            sizeBytes,
            segmentWallMillis,
            /* isMarked= */ true);
    open.write(header.encode(), 0, SegmentHeader.LENGTH_BYTES, 0);
    open.force();
    close();
  }

  /**
   * Makes the journal durable, and names it in the mark of the directory.
   *
   * @param mark the mark; missing
   * @throws IOException if that fails
   */
  public void finish(MarkFile mark) throws IOException {
    endSegment();
    disk.forceDirectory(directory);
    mark.opened(journalId, nextPosition - 1, segmentPosition);
  }

  /** Closes the open segment. Without {@link #finish} the journal cannot be opened. */
  @Override
  public void close() throws IOException {
    DiskFile open = file;
    file = null;
    if (open != null) {
      open.close();
    }
  }
}
