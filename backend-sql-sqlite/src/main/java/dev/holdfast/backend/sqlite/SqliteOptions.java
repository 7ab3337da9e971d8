package dev.holdfast.backend.sqlite;

import java.nio.file.Path;

/**
 * Where a {@link SqliteBackend} keeps its files, and how many may be open. Immutable.
 *
 * @param directory the backend's own directory; created when first needed
 * @param openDatabasesMax how many connections are open at once, each of about 200 KiB of native
 *     memory and three file descriptors; at least 1
 */
public record SqliteOptions(Path directory, int openDatabasesMax) {

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
}
