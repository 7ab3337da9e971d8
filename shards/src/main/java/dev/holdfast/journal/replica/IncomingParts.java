package dev.holdfast.journal.replica;

import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a group that is not complete, in a file that is never synced. Confined to the thread
 * of the log.
 */
public final class IncomingParts implements AutoCloseable {

  public static final String NAME = "incoming";

  private final Disk disk;
  private final Path path;
  private @Nullable DiskFile file;
  private long lengthBytes;
  private long firstIndex;

  public IncomingParts(Disk disk, Path directory) {
    this.disk = disk;
    this.path = directory.resolve(NAME);
  }

  public Path path() {
    return path;
  }

  /** {@return the length of the parts; 0 if there are none} */
  public long lengthBytes() {
    return lengthBytes;
  }

  /** {@return the entry of the first part; meaningless if there is none} */
  public long firstIndex() {
    return firstIndex;
  }

  /** Takes a part. */
  public void add(long index, long offsetBytes, ByteBuffer bytes) throws IOException {
    if (offsetBytes == 0) {
      discard();
      file = disk.open(path, Mode.CREATE);
      firstIndex = index;
    }
    DiskFile target = file;
    if (target == null || offsetBytes != lengthBytes) {
      return; // of a group whose owner is gone
    }
    byte[] part = new byte[bytes.remaining()];
    bytes.duplicate().get(part);
    target.write(part, 0, part.length, offsetBytes);
    lengthBytes += part.length;
  }

  /** Removes the parts. */
  public void discard() throws IOException {
    close();
    disk.delete(path);
  }

  @Override
  public void close() throws IOException {
    DiskFile open = file;
    file = null;
    lengthBytes = 0;
    if (open != null) {
      open.close();
    }
  }
}
