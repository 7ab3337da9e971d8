package dev.holdfast.backend.sqlite;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where a {@link SqliteBackend} keeps its files, and how many may be open. Immutable.
 *
 * @param directory the backend's own directory; created when first needed
 * @param openDatabasesMax how many connections are open at once, each of about 200 KiB of native
 *     memory and three file descriptors; at least 1
 * @param origin the directory of another backend, which does not run. The file of an object is
 *     copied from there when it is first needed, and the origin is never changed; null for none
 */
public record SqliteOptions(Path directory, int openDatabasesMax, @Nullable Path origin) {

  /**
   * Checks the range.
   *
   * @throws IllegalArgumentException if {@code openDatabasesMax} is less than 1
   */
  public SqliteOptions {
    if (openDatabasesMax < 1) {
      throw new IllegalArgumentException(
          "openDatabasesMax must be at least 1: " + openDatabasesMax);
    }
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
}
