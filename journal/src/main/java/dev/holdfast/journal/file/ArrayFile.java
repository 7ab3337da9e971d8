package dev.holdfast.journal.file;

import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;

/** Bytes in memory, to be read like a file. */
public final class ArrayFile implements DiskFile {

  private final byte[] bytes;

  public ArrayFile(byte[] bytes) {
    this.bytes = bytes;
  }

  @Override
  public int read(byte[] target, int targetOffset, int lengthBytes, long offsetBytes) {
    int count = Math.clamp(bytes.length - offsetBytes, 0, lengthBytes);
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
    return bytes.length;
  }

  @Override
  public void close() {}
}
