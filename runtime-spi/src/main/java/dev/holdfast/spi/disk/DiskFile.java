package dev.holdfast.spi.disk;

import java.io.IOException;

/**
 * An open file. An interrupt ends no operation: an application's thread may lead a sync, and an
 * interruptible channel would close the journal when that thread is interrupted.
 *
 * <p>Reads and writes: one thread at a time. {@link #force} may run at the same time.
 */
public interface DiskFile extends AutoCloseable {

  /**
   * Reads at an offset.
   *
   * @param target the bytes read
   * @param targetOffset first byte of the target
   * @param lengthBytes how many
   * @param offsetBytes offset in the file
   * @return the number of bytes read: fewer than requested only at the end of the file, 0 at or
   *     past it
   * @throws IOException if reading fails
   */
  int read(byte[] target, int targetOffset, int lengthBytes, long offsetBytes) throws IOException;

  /**
   * Writes all bytes at an offset, growing the file if need be. Not durable before {@link #force}.
   *
   * @param source the bytes to write
   * @param sourceOffset first byte of the source
   * @param lengthBytes how many
   * @param offsetBytes offset in the file
   * @throws IOException if writing fails; the file may have been changed in part
   */
  void write(byte[] source, int sourceOffset, int lengthBytes, long offsetBytes) throws IOException;

  /**
   * Makes all writes so far, and the size, durable.
   *
   * @throws IOException if the sync fails; writes since the last sync may be lost even if a later
   *     sync succeeds
   */
  void force() throws IOException;

  /**
   * {@return the size in bytes}
   *
   * @throws IOException if it cannot be determined
   */
  long size() throws IOException;

  /**
   * Truncates the file.
   *
   * @param sizeBytes the new size, at most the present size
   * @throws IOException if that fails
   */
  void truncate(long sizeBytes) throws IOException;

  /**
   * Closes the file. Makes nothing durable. Closing twice has no effect.
   *
   * @throws IOException if the file system reports an error
   */
  @Override
  void close() throws IOException;
}
