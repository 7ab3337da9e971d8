package dev.holdfast.journal.file;

import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The file beside a segment that holds its index; {@code docs/formats/journal.md} has the layout. A
 * file that is missing, torn or of another segment is ignored: the index is rebuilt from the
 * segment. Stateless.
 */
public final class SegmentIndexFile {

  private static final long MAGIC = 0x48464A494E444558L; // HFJINDEX
  private static final int VERSION = 2;
  private static final int HEADER_BYTES = 64;
  private static final int CHECKED_FROM = 16;

  private SegmentIndexFile() {}

  static void write(Disk disk, Path file, SegmentIndex index, long salt) throws IOException {
    byte[] entries = index.toBytes();
    ByteBuffer bytes = ByteBuffer.allocate(HEADER_BYTES + entries.length);
    bytes.putLong(MAGIC).putInt(VERSION).putInt(0);
    bytes.putLong(index.firstPosition()).putLong(salt).putLong(index.baseWallMillis());
    bytes.putLong(index.endOffset()).putInt(index.count());
    bytes.position(HEADER_BYTES).put(entries);
    bytes.putInt(CHECKED_FROM - 4, checksum(bytes.array()));
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    disk.delete(fresh);
    try (DiskFile open = disk.open(fresh, Mode.CREATE)) {
      open.write(bytes.array(), 0, bytes.capacity(), 0);
      // Not for safety, because the index can be rebuilt: a name that became durable before its
      // bytes would only cost that work.
      open.force();
    }
    disk.move(fresh, file);
  }

  /**
   * {@return the index; null if the file is not a complete index of this segment}
   *
   * @param segment the header of the segment
   * @throws IOException if the file cannot be read
   */
  public static @Nullable SegmentIndex read(Disk disk, Path file, SegmentHeader segment)
      throws IOException {
    if (!disk.exists(file)) {
      return null;
    }
    byte[] content;
    try (DiskFile open = disk.open(file, Mode.READ)) {
      long size = open.size();
      if (size < HEADER_BYTES || size > Integer.MAX_VALUE - 8) {
        return null;
      }
      content = new byte[(int) size];
      if (open.read(content, 0, content.length, 0) != content.length) {
        return null;
      }
    }
    ByteBuffer bytes = ByteBuffer.wrap(content);
    boolean whole =
        bytes.getLong() == MAGIC
            && bytes.getInt() == VERSION
            && bytes.getInt() == checksum(content)
            && bytes.getLong() == segment.firstPosition()
            && bytes.getLong() == segment.salt()
            && bytes.getLong() == segment.wallMillis();
    if (!whole) {
      return null;
    }
    long endOffset = bytes.getLong();
    int count = bytes.getInt();
    if (count < 0 || content.length != HEADER_BYTES + (long) count * SegmentIndex.ENTRY_BYTES) {
      return null;
    }
    SegmentIndex index = new SegmentIndex(segment.firstPosition(), segment.wallMillis(), endOffset);
    index.addAll(content, HEADER_BYTES, count);
    return index;
  }

  private static int checksum(byte[] content) {
    CRC32C crc = new CRC32C();
    crc.update(content, 0, CHECKED_FROM - 4);
    crc.update(content, CHECKED_FROM, content.length - CHECKED_FROM);
    return (int) crc.getValue();
  }
}
