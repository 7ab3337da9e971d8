package dev.holdfast.journal.shard;

import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.journal.file.ArrayFile;
import dev.holdfast.journal.file.SegmentHeader;
import dev.holdfast.journal.file.SegmentReader;
import dev.holdfast.journal.file.SegmentWalk;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Copies segments of a journal from another node, and checks what is in them. */
final class SegmentCopy {

  private static final int CHUNK_BYTES = 1 << 20;

  private final Disk disk;
  private final long journalId;

  SegmentCopy(Disk disk, long journalId) {
    this.disk = disk;
    this.journalId = journalId;
  }

  /**
   * Reads a file and checks all that is in it.
   *
   * @param segment its first position
   * @param next the position after its last record
   * @return the offset after its last group
   * @throws JournalCorruptException if it is not that segment, or a record cannot be read
   */
  long checked(Path file, long segment, long next) {
    try (SegmentReader reader = SegmentReader.open(disk, file)) {
      SegmentHeader header = headerOf(reader, segment);
      if (header == null) {
        throw new JournalCorruptException(
            file, 0, segment, "its header is damaged, or it is another segment");
      }
      SegmentWalk walk = SegmentWalk.of(reader, header);
      walk.requireUpTo(next - 1, SegmentWalk.RECORDS, "a group is damaged");
      if (walk.position() != next) {
        throw new JournalCorruptException(
            file, walk.offset(), walk.position(), "it has more than it should");
      }
      return walk.offset();
    } catch (IOException e) {
      throw new JournalCorruptException(
          file, 0, segment, "it cannot be read (" + e.getMessage() + ")");
    }
  }

  /** {@return the header of a file; null if it is damaged, or that of another segment} */
  private @Nullable SegmentHeader headerOf(SegmentReader reader, long segment) throws IOException {
    SegmentHeader header = reader.header();
    boolean isOfSegment =
        header != null && header.journalId() == journalId && header.firstPosition() == segment;
    return isOfSegment ? header : null;
  }

  /**
   * {@return whether a segment has the header that bytes begin with}
   *
   * @param file the segment
   */
  boolean begins(Path file, byte[] bytes) {
    try (SegmentReader one = SegmentReader.open(disk, file);
        SegmentReader other = SegmentReader.of(new ArrayFile(bytes), file)) {
      SegmentHeader header = one.header();
      return header != null && header.equals(other.header());
    } catch (IOException e) {
      return false;
    }
  }

  /** Copies a segment that nothing is written to any more, and syncs the copy. */
  void copy(long segment, SealedSegments.Source source, Path target) throws IOException {
    copy(segment, source, target, Long.MAX_VALUE);
  }

  /**
   * Copies a segment up to an offset, and syncs the copy. The rest of the copy is zeros.
   *
   * @param endOffset after the last byte that means something; a higher one than the size of the
   *     segment means all of it
   * @return the header of the segment
   */
  SegmentHeader copy(long segment, SealedSegments.Source source, Path target, long endOffset)
      throws IOException {
    if (disk.exists(target)) {
      disk.delete(target); // of a try that ended in the middle
    }
    try (DiskFile open = disk.open(target, Mode.CREATE)) {
      byte[] bytes = source.read(0);
      SegmentHeader header = header(segment, bytes, target);
      requireRoom(target, header.allocatedBytes());
      long end = Math.min(endOffset, header.allocatedBytes());
      long offset = 0;
      while (offset < end) {
        if (offset > 0) {
          bytes = source.read(offset);
        }
        if (bytes.length == 0) {
          throw new JournalCorruptException(
              target, offset, segment, "the segment of another node ends too early");
        }
        int length = (int) Math.min(bytes.length, end - offset);
        open.write(bytes, 0, length, offset);
        offset += length;
      }
      fill(open, end, header.allocatedBytes());
      open.force();
      return header;
    }
  }

  /** The logs of the node, and its own segments, are on the same disk: without room they stop. */
  private void requireRoom(Path target, long bytes) throws IOException {
    Path parent = target.getParent();
    if (!disk.hasRoomForCopy(parent == null ? target : parent, bytes)) {
      throw new IOException("the disk has no room for the " + bytes + " bytes of a segment");
    }
  }

  private static void fill(DiskFile file, long from, long to) throws IOException {
    byte[] zeros = new byte[(int) Math.min(CHUNK_BYTES, to - from)];
    for (long offset = from; offset < to; offset += zeros.length) {
      file.write(zeros, 0, (int) Math.min(zeros.length, to - offset), offset);
    }
  }

  /** The other node says how much is written here, so its header is checked first. */
  private SegmentHeader header(long segment, byte[] bytes, Path target) throws IOException {
    try (SegmentReader reader = SegmentReader.of(new ArrayFile(bytes), target)) {
      SegmentHeader header = headerOf(reader, segment);
      if (header == null) {
        throw new JournalCorruptException(
            target, 0, segment, "another node has a damaged header, or another segment");
      }
      return header;
    }
  }
}
