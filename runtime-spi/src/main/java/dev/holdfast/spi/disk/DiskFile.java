package dev.holdfast.spi.disk;

import java.io.IOException;

/**
 * An open file. No operation is ended by an interrupt: a sync may be led by an application's
 * thread, and an interruptible channel would close the journal when that thread is interrupted.
 *
 * <p>Reads and writes: one thread at a time. {@link #force} may run beside them.
 */
public interface DiskFile extends AutoCloseable {

  /**
   * Reads at an offset.
   *
   * @param target where to
   * @param targetOffset first byte of the target
   * @param lengthBytes how many
   * @param offsetBytes where in the file
   * @return how many bytes were read: fewer than asked for only at the end of the file, 0 at or
   *     past it
   * @throws IOException if reading fails
   */
  int read(byte[] target, int targetOffset, int lengthBytes, long offsetBytes) throws IOException;

  /**
   * Writes all bytes at an offset, growing the file if need be. Not durable before {@link #force}.
   *
   * @param source what
   * @param sourceOffset first byte of the source
   * @param lengthBytes how many
   * @param offsetBytes where in the file
   * @throws IOException if writing fails; the file may have been changed in part
   */
  void write(byte[] source, int sourceOffset, int lengthBytes, long offsetBytes) throws IOException;

  /**
   * Makes everything written so far, and the size, durable.
   *
   * @throws IOException if the sync fails; what was written since the last one may be lost even if
   *     a later sync succeeds
   */
  void force() throws IOException;

  /**
   * {@return the size in bytes}
   *
   * @throws IOException if it cannot be found out
   */
  long size() throws IOException;

  /**
   * Cuts the file.
   *
   * @param sizeBytes at most the present size
   * @throws IOException if that fails
   */
  void truncate(long sizeBytes) throws IOException;

  /**
   * Closes the file. Does not make anything durable. Closing twice does nothing.
   *
   * @throws IOException if the file system reports an error
   */
  @Override
  void close() throws IOException;
}
