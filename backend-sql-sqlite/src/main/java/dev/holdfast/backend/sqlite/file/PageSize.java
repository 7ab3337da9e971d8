package dev.holdfast.backend.sqlite.file;

/** Sizes in SQLite's file formats. */
public final class PageSize {

  /** The page size of a database that this backend creates. */
  public static final int DEFAULT_BYTES = 4_096;

  /** The smallest page size of the format. */
  static final int BYTES_MIN = 512;

  /** The largest page size of the format. */
  public static final int BYTES_MAX = 65_536;

  /** The header of a {@code -wal} file. */
  public static final int LOG_HEADER_BYTES = 32;

  /** The header of each page in a {@code -wal} file. */
  public static final int LOG_FRAME_HEADER_BYTES = 24;

  private PageSize() {}

  public static boolean isValid(int bytes) {
    return bytes >= BYTES_MIN && bytes <= BYTES_MAX && Integer.bitCount(bytes) == 1;
  }
}
