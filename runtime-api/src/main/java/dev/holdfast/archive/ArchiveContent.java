package dev.holdfast.archive;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;

/** The bytes of a new entry of an archive. The same at every reading. */
public interface ArchiveContent {

  /** {@return the number of bytes} */
  long bytes();

  /**
   * {@return the bytes, from the first on; closed by the caller}
   *
   * @throws IOException if they cannot be read
   */
  InputStream open() throws IOException;

  /**
   * {@return the bytes of an array, which must not change afterwards}
   *
   * @param bytes the bytes
   */
  static ArchiveContent of(byte[] bytes) {
    return new ArchiveContent() {
      @Override
      public long bytes() {
        return bytes.length;
      }

      @Override
      public InputStream open() {
        return new ByteArrayInputStream(bytes);
      }
    };
  }
}
