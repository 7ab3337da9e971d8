package dev.holdfast.spi.disk;

import dev.holdfast.spi.disk.Disk.Mode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * What shows that a file is the one that was written: every manifest states it. Immutable.
 *
 * @param bytes the size of the file
 * @param checksum its CRC-32C
 */
public record FileSum(long bytes, int checksum) {

  private static final int CHUNK_BYTES = 1 << 20;

  /**
   * {@return the sum of some bytes}
   *
   * @param content the bytes
   */
  public static FileSum of(byte[] content) {
    CRC32C crc = new CRC32C();
    crc.update(content, 0, content.length);
    return new FileSum(content.length, (int) crc.getValue());
  }

  /**
   * Reads a file.
   *
   * @param disk where it is
   * @param file the file
   * @return its sum
   * @throws IOException if it cannot be read
   */
  public static FileSum of(Disk disk, Path file) throws IOException {
    try (DiskFile open = disk.open(file, Mode.READ)) {
      return of(open);
    }
  }

  /**
   * Reads a file.
   *
   * @param file the file
   * @return its sum
   * @throws IOException if it cannot be read
   */
  public static FileSum of(DiskFile file) throws IOException {
    byte[] chunk = chunk(file.size());
    CRC32C crc = new CRC32C();
    long at = 0;
    for (int count = file.read(chunk, 0, chunk.length, 0); count > 0; ) {
      crc.update(chunk, 0, count);
      at += count;
      count = file.read(chunk, 0, chunk.length, at);
    }
    return new FileSum(at, (int) crc.getValue());
  }

  /**
   * Copies a file into an empty one. Nothing is synced.
   *
   * @param from the file; it may grow, and be cut, meanwhile
   * @param to the copy
   * @param bytesMax the bytes from its start on that are copied
   * @param sizeBytes the size of the copy, filled up with zeros; 0 for the bytes copied
   * @return the sum of the copy
   * @throws IOException if the file cannot be read or the copy written
   */
  public static FileSum copy(DiskFile from, DiskFile to, long bytesMax, long sizeBytes)
      throws IOException {
    // The size first: a log that grows while it is read would have no end.
    long length = Math.min(bytesMax, from.size());
    byte[] chunk = chunk(Math.max(length, sizeBytes));
    CRC32C crc = new CRC32C();
    long at = 0;
    while (at < length) {
      int count = from.read(chunk, 0, (int) Math.min(chunk.length, length - at), at);
      if (count <= 0) {
        break; // cut meanwhile
      }
      to.write(chunk, 0, count, at);
      crc.update(chunk, 0, count);
      at += count;
    }
    byte[] zeros = new byte[at < sizeBytes ? chunk.length : 0];
    while (at < sizeBytes) {
      int count = (int) Math.min(zeros.length, sizeBytes - at);
      to.write(zeros, 0, count, at);
      crc.update(zeros, 0, count);
      at += count;
    }
    return new FileSum(at, (int) crc.getValue());
  }

  /** Most files of objects are small, and there may be many. */
  private static byte[] chunk(long bytes) {
    return new byte[Math.clamp(bytes, 1, CHUNK_BYTES)];
  }
}
