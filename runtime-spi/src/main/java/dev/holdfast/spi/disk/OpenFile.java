package dev.holdfast.spi.disk;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * A file of {@link FileDisk}, open twice if it may be written: a {@code FileChannel} closes itself
 * when a thread in it is interrupted, and the journal with it. {@link RandomAccessFile} ignores
 * interrupts when it reads and writes, but its sync always includes the metadata (time stamps, a
 * commit of the file system's own journal). An {@link AsynchronousFileChannel} syncs the data
 * alone, on the calling thread, and ignores interrupts. Measured on ext4 over preallocated space,
 * neither this nor {@code O_DSYNC} nor direct buffers differ from a bare {@code FileChannel} by
 * more than noise; a mapped file is two to three times slower for large groups.
 *
 * <p>Used by one thread at a time, except {@link #force}.
 */
final class OpenFile implements DiskFile {

  private final Path path;
  private final RandomAccessFile file;

  /** Null if the file is only read: it is rarely synced then. */
  private final @Nullable AsynchronousFileChannel sync;

  private OpenFile(Path path, RandomAccessFile file, @Nullable AsynchronousFileChannel sync) {
    this.path = path;
    this.file = file;
    this.sync = sync;
  }

  static OpenFile open(Path path, boolean writing) throws IOException {
    if (!writing) {
      return new OpenFile(path, new RandomAccessFile(path.toFile(), "r"), null);
    }
    RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
    try {
      return new OpenFile(path, file, AsynchronousFileChannel.open(path, StandardOpenOption.WRITE));
    } catch (IOException | RuntimeException e) {
      closeAfter(e, file);
      throw e;
    }
  }

  private static void closeAfter(Exception cause, RandomAccessFile file) {
    try {
      file.close();
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  @Override
  public int read(byte[] target, int targetOffset, int lengthBytes, long offsetBytes)
      throws IOException {
    file.seek(offsetBytes);
    int total = 0;
    while (total < lengthBytes) {
      int count = file.read(target, targetOffset + total, lengthBytes - total);
      if (count < 0) {
        break;
      }
      total += count;
    }
    return total;
  }

  @Override
  public void write(byte[] source, int sourceOffset, int lengthBytes, long offsetBytes)
      throws IOException {
    file.seek(offsetBytes);
    file.write(source, sourceOffset, lengthBytes);
  }

  @Override
  public void force() throws IOException {
    if (sync == null) {
      try (AsynchronousFileChannel channel =
          AsynchronousFileChannel.open(path, StandardOpenOption.READ)) {
        channel.force(false);
      }
      return;
    }
    sync.force(false);
  }

  @Override
  public long size() throws IOException {
    return file.length();
  }

  @Override
  public void truncate(long sizeBytes) throws IOException {
    if (sizeBytes > file.length()) {
      throw new IllegalArgumentException(
          "Cannot truncate a file of " + file.length() + " bytes to " + sizeBytes);
    }
    file.setLength(sizeBytes);
  }

  @Override
  public void close() throws IOException {
    try (sync) {
      file.close();
    }
  }
}
