package dev.holdfast.verify.split;

import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Blocks of one size in a file, of which some are in memory. Confined to one thread. */
final class BlockFile implements AutoCloseable {

  private static final int CACHED_BYTES_MAX = 1 << 20;

  private final DiskFile file;
  private final int blockBytes;
  private final Map<Long, byte[]> cached = new LinkedHashMap<>(16, 0.75f, /* accessOrder= */ true);
  private long count;

  /**
   * Creates it without a block.
   *
   * @throws IOException if the file cannot be created
   */
  BlockFile(Disk disk, Path file, int blockBytes) throws IOException {
    this.file = disk.open(file, Mode.CREATE);
    this.blockBytes = blockBytes;
  }

  /** {@return how many blocks there are} */
  long count() {
    return count;
  }

  /** Adds a block. */
  void add(byte[] block) throws IOException {
    file.write(block, 0, blockBytes, count * blockBytes);
    count++;
  }

  /** {@return a block, which stays as it is} */
  byte[] get(long index) {
    byte[] known = cached.get(index);
    if (known != null) {
      return known;
    }
    byte[] read = new byte[blockBytes];
    try {
      if (file.read(read, 0, blockBytes, index * blockBytes) != blockBytes) {
        throw new IOException("A file with the places of records became shorter");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    cached.put(index, read);
    if ((long) cached.size() * blockBytes > CACHED_BYTES_MAX) {
      cached.remove(cached.keySet().iterator().next());
    }
    return read;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
