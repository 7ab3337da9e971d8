package dev.holdfast.backend.sqlite;

/** Sizes of pages in SQLite's file format. */
final class PageSize {

  /** Of a database that this backend makes. */
  static final int DEFAULT_BYTES = 4_096;

  /** The smallest that the format knows. */
  static final int BYTES_MIN = 512;

  /** The largest that the format knows. */
  static final int BYTES_MAX = 65_536;

  private PageSize() {}

  static boolean isValid(int bytes) {
    return bytes >= BYTES_MIN && bytes <= BYTES_MAX && Integer.bitCount(bytes) == 1;
  }
}
