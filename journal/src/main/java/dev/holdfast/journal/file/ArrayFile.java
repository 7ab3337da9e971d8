package dev.holdfast.journal.file;

import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;

/** Bytes in memory, to be read like a file. */
public final class ArrayFile implements DiskFile {

  private final byte[] bytes;
  private final int length;

  /** All bytes. */
  public ArrayFile(byte[] bytes) {
    this(bytes, bytes.length);
  }

  /** The first bytes. */
  public ArrayFile(byte[] bytes, int lengthBytes) {
    this.bytes = bytes;
    this.length = lengthBytes;
  }

  /** {@return the array, which is not to be changed} */
  byte[] array() {
    return bytes;
  }

  @Override
  public int read(byte[] target, int targetOffset, int lengthBytes, long offsetBytes) {
    int count = Math.clamp(length - offsetBytes, 0, lengthBytes);
    if (count > 0) {
      System.arraycopy(bytes, (int) offsetBytes, target, targetOffset, count);
    }
    return count;
  }

  @Override
  public void write(byte[] source, int sourceOffset, int lengthBytes, long offsetBytes)
      throws IOException {
    throw readOnly();
  }

  @Override
  public void force() throws IOException {
    throw readOnly();
  }

  @Override
  public void truncate(long sizeBytes) throws IOException {
    throw readOnly();
  }

  private static IOException readOnly() {
    return new IOException("The array is read-only");
  }

  @Override
  public long size() {
    return length;
  }

  @Override
  public void close() {}
}
