package dev.holdfast.backend.sqlite;

import dev.holdfast.spi.ObjectKey;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where a {@link SqliteBackend} keeps its files, how many may be open, and which are opened in
 * memory. Immutable.
 *
 * @param directory the backend's own directory; created when first needed
 * @param openDatabasesMax how many connections are open at once, each of about 200 KiB of native
 *     memory and, if it has a file open, three file descriptors; at least 1
 * @param origin the directory of another backend, which does not run. The file of an object is
 *     copied from there when it is first needed, and the origin is never changed; null for none
 * @param memoryBytesMax up to which size SQLite has a database in memory, and its file is only
 *     written; 0 for never
 * @param only the only object whose file recovery brings up to date, in a copy of an origin that is
 *     opened for this object; null for all
 */
public record SqliteOptions(
    Path directory,
    int openDatabasesMax,
    @Nullable Path origin,
    int memoryBytesMax,
    @Nullable ObjectKey only) {

  /** A commit compares all pages of a database in memory: with more, a log is as fast. */
  public static final int MEMORY_BYTES_MAX = 64 << 10;

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException if {@code openDatabasesMax} is less than 1, or {@code
   *     memoryBytesMax} negative
   */
  public SqliteOptions {
    if (openDatabasesMax < 1) {
      throw new IllegalArgumentException(
          "openDatabasesMax must be at least 1: " + openDatabasesMax);
    }
    if (memoryBytesMax < 0) {
      throw new IllegalArgumentException("memoryBytesMax is negative: " + memoryBytesMax);
    }
  }

  /**
   * Options for all objects.
   *
   * @param directory the backend's own directory
   * @param openDatabasesMax how many connections are open at once, at least 1
   * @param origin the directory of another backend, or null
   * @param memoryBytesMax up to which size SQLite has a database in memory
   * @throws IllegalArgumentException if a number is out of its range
   */
  public SqliteOptions(
      Path directory, int openDatabasesMax, @Nullable Path origin, int memoryBytesMax) {
    this(directory, openDatabasesMax, origin, memoryBytesMax, null);
  }

  /**
   * Options without an origin.
   *
   * @param directory the backend's own directory
   * @param openDatabasesMax how many connections are open at once, at least 1
   * @throws IllegalArgumentException if {@code openDatabasesMax} is less than 1
   */
  public SqliteOptions(Path directory, int openDatabasesMax) {
    this(directory, openDatabasesMax, null);
  }

  /**
   * Options with the usual bound of databases in memory.
   *
   * @param directory the backend's own directory
   * @param openDatabasesMax how many connections are open at once, at least 1
   * @param origin the directory of another backend, or null
   * @throws IllegalArgumentException if {@code openDatabasesMax} is less than 1
   */
  public SqliteOptions(Path directory, int openDatabasesMax, @Nullable Path origin) {
    this(directory, openDatabasesMax, origin, MEMORY_BYTES_MAX);
  }
}
