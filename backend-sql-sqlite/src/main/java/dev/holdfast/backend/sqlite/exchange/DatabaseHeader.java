package dev.holdfast.backend.sqlite.exchange;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * What the first bytes of a database file state, and how long the file is. SQLite takes an empty
 * file, and one of which only the beginning was copied, for a database. Immutable.
 *
 * @param fileBytes the size of the file
 * @param isDatabase whether the file begins as a database does
 * @param pageBytes the size of a page
 * @param pages the stated number of pages; 0 if it is not stated
 * @param application says which application wrote the file
 */
record DatabaseHeader(
    long fileBytes, boolean isDatabase, int pageBytes, long pages, int application) {

  /** "HFOB": an object that was exported. */
  static final int EXPORT = 0x48464F42;

  private static final int BYTES = 100;
  private static final byte[] MAGIC = "SQLite format 3\0".getBytes(StandardCharsets.US_ASCII);
  private static final int PAGE_BYTES_AT = 16;
  private static final int CHANGES_AT = 24;
  private static final int PAGES_AT = 28;
  private static final int APPLICATION_AT = 68;
  private static final int PAGES_VALID_FOR_AT = 92;
  private static final int PAGE_BYTES_MAX = 65_536;

  /** Reads the header of a file that no connection is writing. */
  static DatabaseHeader read(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      ByteBuffer bytes = ByteBuffer.allocate(BYTES);
      while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
        // The next part.
      }
      int found = bytes.position();
      boolean isDatabase =
          found == BYTES && Arrays.equals(bytes.array(), 0, MAGIC.length, MAGIC, 0, MAGIC.length);
      int pageBytes = Short.toUnsignedInt(bytes.getShort(PAGE_BYTES_AT));
      // Earlier versions of SQLite change the file and leave the number of pages as it was.
      boolean isStated = bytes.getInt(CHANGES_AT) == bytes.getInt(PAGES_VALID_FOR_AT);
      return new DatabaseHeader(
          channel.size(),
          isDatabase,
          pageBytes == 1 ? PAGE_BYTES_MAX : pageBytes,
          isStated ? Integer.toUnsignedLong(bytes.getInt(PAGES_AT)) : 0,
          bytes.getInt(APPLICATION_AT));
    }
  }

  /** {@return whether the file has all of its pages, and no part of one} */
  boolean isWhole() {
    return isDatabase
        && pageBytes > 0
        && fileBytes % pageBytes == 0
        && (pages == 0 || pages * pageBytes <= fileBytes);
  }

  boolean isExport() {
    return application == EXPORT;
  }
}
