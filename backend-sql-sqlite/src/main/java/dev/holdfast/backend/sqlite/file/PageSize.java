package dev.holdfast.backend.sqlite.file;

/** Page sizes in SQLite's file format. */
public final class PageSize {

  /** The page size of a database that this backend creates. */
  public static final int DEFAULT_BYTES = 4_096;

  /** The smallest page size of the format. */
  static final int BYTES_MIN = 512;

  /** The largest page size of the format. */
  public static final int BYTES_MAX = 65_536;

  /** The beginning of a database file, up to and including its page size. */
  public static final int HEADER_BYTES = 18;

  private PageSize() {}

  /** {@return the page size that the beginning of a database file names, valid or not} */
  public static int of(byte[] header) {
    int bytes = (header[HEADER_BYTES - 2] & 0xFF) << 8 | (header[HEADER_BYTES - 1] & 0xFF);
    return bytes == 1 ? BYTES_MAX : bytes;
  }

  public static boolean isValid(int bytes) {
    return bytes >= BYTES_MIN && bytes <= BYTES_MAX && Integer.bitCount(bytes) == 1;
  }
}
