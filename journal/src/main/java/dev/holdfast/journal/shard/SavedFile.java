package dev.holdfast.journal.shard;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * The file that states what a replica has durably in its own files; {@code
 * docs/formats/log-entry.md} has the layout. Confined to one thread at a time.
 */
final class SavedFile {

  static final String NAME = "saved";

  static final int LENGTH_BYTES = 96;

  private static final long MAGIC = 0x4846534156454421L; // HFSAVED!
  private static final int VERSION = 1;

  private final Disk disk;
  private final Path file;

  /**
   * @param directory of the replica
   */
  SavedFile(Disk disk, Path directory) {
    this.disk = disk;
    this.file = directory.resolve(NAME);
  }

  /**
   * Reads the file.
   *
   * @return {@link SavedPoint#NONE} if there is none
   * @throws DataDirectoryException if it is damaged or of a newer version
   */
  SavedPoint read() throws IOException {
    if (!disk.exists(file)) {
      return SavedPoint.NONE;
    }
    byte[] content = new byte[LENGTH_BYTES];
    boolean isWhole;
    try (DiskFile open = disk.open(file, Mode.READ)) {
      isWhole =
          open.size() == LENGTH_BYTES && open.read(content, 0, LENGTH_BYTES, 0) == LENGTH_BYTES;
    }
    ByteBuffer bytes = ByteBuffer.wrap(content);
    if (!isWhole || bytes.getLong() != MAGIC || bytes.getInt(12) != checksum(content)) {
      throw new DataDirectoryException(
          file,
          "The file is damaged; it states what this replica of the shard has. Remove the replica"
              + " and add it again: the other nodes have its data",
          null);
    }
    if (bytes.getInt() != VERSION) {
      throw new DataDirectoryException(
          file,
          "The replica was written by a newer version of Holdfast; open it with that version",
          null);
    }
    bytes.getInt();
    return new SavedPoint(
        bytes.getLong(),
        bytes.getLong(),
        bytes.getLong(),
        bytes.getLong(),
        bytes.getLong(),
        bytes.getLong(),
        bytes.getLong(),
        bytes.getLong());
  }

  /** Replaces the file durably: one of the two versions always exists. */
  void write(SavedPoint point) throws IOException {
    byte[] content = encode(point);
    Path fresh = file.resolveSibling(NAME + ".new");
    disk.delete(fresh);
    try (DiskFile open = disk.open(fresh, Mode.CREATE)) {
      open.write(content, 0, LENGTH_BYTES, 0);
      open.force();
    }
    disk.move(fresh, file);
    Path directory = file.getParent();
    if (directory != null) {
      disk.forceDirectory(directory);
    }
  }

  private static byte[] encode(SavedPoint point) {
    byte[] content = new byte[LENGTH_BYTES];
    ByteBuffer bytes = ByteBuffer.wrap(content);
    bytes.putLong(MAGIC).putInt(VERSION).putInt(0).putLong(point.journalId());
    bytes.putLong(point.index()).putLong(point.epoch()).putLong(point.lastPosition());
    bytes.putLong(point.segment()).putLong(point.salt()).putLong(point.segmentBytes());
    bytes.putLong(point.endOffset());
    bytes.putInt(12, checksum(content));
    return content;
  }

  private static int checksum(byte[] content) {
    CRC32C crc = new CRC32C();
    crc.update(content, 0, 12);
    crc.update(content, 16, LENGTH_BYTES - 16);
    return (int) crc.getValue();
  }
}
