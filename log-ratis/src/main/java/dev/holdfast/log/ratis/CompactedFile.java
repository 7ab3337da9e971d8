package dev.holdfast.log.ratis;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.apache.ratis.server.protocol.TermIndex;
import org.jspecify.annotations.Nullable;

/**
 * The file that states up to which entry the log may have been dropped; {@code
 * docs/formats/log-ratis.md} has the layout. Confined to one thread at a time.
 */
final class CompactedFile {

  static final String NAME = "compacted";

  /** Of the same layout, written before the replica goes on at an entry that its log lacks. */
  static final String FETCHED_NAME = "fetched";

  /** Of the same layout: the first entry that the log has taken back though the replica had it. */
  static final String TAKEN_BACK_NAME = "taken-back";

  /** Of the same layout: the replica that had that entry is set aside, and none is fetched yet. */
  static final String SET_ASIDE_NAME = "set-aside";

  static final int LENGTH_BYTES = 32;

  private static final long MAGIC = 0x4846434F4D504121L; // HFCOMPA!
  private static final int VERSION = 1;

  private final Disk disk;
  private final Path file;

  CompactedFile(Disk disk, Path directory) {
    this(disk, directory, NAME);
  }

  CompactedFile(Disk disk, Path directory, String name) {
    this.disk = disk;
    this.file = directory.resolve(name);
  }

  /** Removes the file. */
  void delete() throws IOException {
    disk.delete(file);
  }

  /** {@return the entry; null if there is none} */
  @Nullable TermIndex read() throws IOException {
    if (!disk.exists(file)) {
      return null;
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
          "The file is damaged; it states where the log of the shard begins. Remove this node from"
              + " the shard and add another: the other nodes have its data",
          null);
    }
    if (bytes.getInt() != VERSION) {
      throw new DataDirectoryException(
          file, "The log was written by a newer version of Holdfast; open it with that one", null);
    }
    bytes.getInt();
    long index = bytes.getLong();
    return TermIndex.valueOf(bytes.getLong(), index);
  }

  /** Replaces the file durably: one of the two versions always exists. */
  void write(TermIndex entry) throws IOException {
    byte[] content = new byte[LENGTH_BYTES];
    ByteBuffer bytes = ByteBuffer.wrap(content);
    bytes.putLong(MAGIC).putInt(VERSION).putInt(0);
    bytes.putLong(entry.getIndex()).putLong(entry.getTerm());
    bytes.putInt(12, checksum(content));
    disk.replace(file, content);
  }

  private static int checksum(byte[] content) {
    CRC32C crc = new CRC32C();
    crc.update(content, 0, 12);
    crc.update(content, 16, LENGTH_BYTES - 16);
    return (int) crc.getValue();
  }
}
