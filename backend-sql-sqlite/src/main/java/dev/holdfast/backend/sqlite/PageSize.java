package dev.holdfast.backend.sqlite;

/** Sizes in SQLite's file formats. */
final class PageSize {

  /** Of a database that this backend makes. */
  static final int DEFAULT_BYTES = 4_096;

  /** The smallest that the format knows. */
  static final int BYTES_MIN = 512;

  /** The largest that the format knows. */
  static final int BYTES_MAX = 65_536;

  /** The header of a {@code -wal} file. */
  static final int LOG_HEADER_BYTES = 32;

  private PageSize() {}

  static boolean isValid(int bytes) {
    return bytes >= BYTES_MIN && bytes <= BYTES_MAX && Integer.bitCount(bytes) == 1;
  }
}
