package dev.holdfast.backend.rocksdb;

import dev.holdfast.backend.rocksdb.file.NativeLibrary;
import java.nio.file.Path;

/** Whether RocksDB's library is there, for callers that work without it. Stateless. */
public final class RocksDbLibrary {

  private RocksDbLibrary() {}

  /**
   * Loads the library.
   *
   * @param directory the database that is about to be read; for the message
   * @throws dev.holdfast.errors.DataDirectoryException if it is missing, or does not support this
   *     platform; the message says what to add
   */
  public static void require(Path directory) {
    NativeLibrary.load(directory);
  }
}
