package dev.holdfast.backend.rocksdb;

import dev.holdfast.DataDirectoryException;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A small file beside the database that says up to which position the database has been durable
 * once. The journal has dropped records on the strength of that: a database that has less was
 * removed, or comes from an older copy, and is not to be taken for an empty one.
 *
 * <p>Used by the one thread that opens the database, then by the one that flushes.
 */
final class FlushedMark {

  private static final int LENGTH_BYTES = Long.BYTES + Integer.BYTES;

  private final Disk disk = new FileDisk();
  private final Path directory;
  private final @Nullable Path file;
  private long position;

  /** Reads the file of a database; without a file nothing is known. */
  FlushedMark(Path directory, @Nullable Path file) {
    this.directory = directory;
    this.file = file == null ? null : file.toAbsolutePath();
    position = this.file != null && disk.exists(this.file) ? read(this.file) : 0;
  }

  /** {@return up to which position the database was durable; 0 if nothing is known} */
  long position() {
    return position;
  }

  /**
   * Refuses a database that has less than it had.
   *
   * @param appliedPosition up to which position it has everything now
   * @throws DataDirectoryException if that is less
   */
  void require(long appliedPosition) {
    if (appliedPosition < position) {
      throw new DataDirectoryException(
          directory,
          "The RocksDB database was removed, or is an older copy: it holds changes up to journal"
              + " position "
              + appliedPosition
              + ", but had them up to "
              + position
              + ", and the journal may have dropped them since. Restore the whole data directory"
              + " from one copy. To give up what the objects in RocksDB had, remove "
              + file
              + " and the database",
          null);
    }
  }

  /**
   * Notes that the database is durable up to a position. A new file takes the place of the old one,
   * so that there is one of both after a power cut, and a failed sync is not believed later.
   *
   * @param flushedPosition the position
   * @throws IOException if that cannot be made durable; then the journal must not rely on it
   */
  void raiseTo(long flushedPosition) throws IOException {
    Path target = file;
    if (target == null || flushedPosition <= position) {
      return;
    }
    Path unfinished = target.resolveSibling(target.getFileName() + ".new");
    byte[] bytes = encode(flushedPosition);
    if (disk.exists(unfinished)) {
      disk.delete(unfinished);
    }
    try (DiskFile opened = disk.open(unfinished, Mode.CREATE)) {
      opened.write(bytes, 0, LENGTH_BYTES, 0);
      opened.force();
    }
    disk.move(unfinished, target);
    Path parent = target.getParent();
    if (parent != null) {
      disk.forceDirectory(parent);
    }
    position = flushedPosition;
  }

  private long read(Path file) {
    byte[] bytes = new byte[LENGTH_BYTES];
    try (DiskFile opened = disk.open(file, Mode.READ)) {
      int count = opened.read(bytes, 0, LENGTH_BYTES, 0);
      long found = ByteBuffer.wrap(bytes).getLong();
      if (count == LENGTH_BYTES
          && opened.size() == LENGTH_BYTES
          && ByteBuffer.wrap(bytes).equals(ByteBuffer.wrap(encode(found)))) {
        return found;
      }
    } catch (IOException e) {
      throw new DataDirectoryException(file, "The file cannot be read", e);
    }
    throw new DataDirectoryException(
        file,
        "The file is damaged; it says up to where the RocksDB database was durable. Restore it from"
            + " a copy",
        null);
  }

  private static byte[] encode(long position) {
    ByteBuffer bytes = ByteBuffer.allocate(LENGTH_BYTES).putLong(position);
    CRC32C sum = new CRC32C();
    sum.update(bytes.array(), 0, Long.BYTES);
    return bytes.putInt((int) sum.getValue()).array();
  }
}
