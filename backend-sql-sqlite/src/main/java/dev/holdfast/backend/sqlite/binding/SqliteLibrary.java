package dev.holdfast.backend.sqlite.binding;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The native library: opens database files. Thread-safe. */
public interface SqliteLibrary {

  /**
   * Opens an existing database file, for reading and writing, as the only user of it in this
   * process. Blocks in native code.
   *
   * @param file the file
   * @return the connection
   * @throws SqliteException if the file cannot be opened
   */
  SqliteConnection open(Path file) throws SqliteException;

  /**
   * {@return the present and the expected version, if the present one is not the version that all
   * tests run with; null if it is}
   */
  default @Nullable String untestedVersion() {
    return null;
  }

  /**
   * Opens a database file that nothing changes meanwhile, without its log. Changes nothing, not
   * even beside the file. Blocks in native code.
   *
   * @param file the file
   * @return the connection
   * @throws SqliteException if the file cannot be opened
   */
  static SqliteConnection openImmutable(Path file) throws SqliteException {
    return new JdbcLibrary().openImmutable(file);
  }

  /** {@return the library of sqlite-jdbc} */
  static SqliteLibrary jdbc() {
    return new JdbcLibrary();
  }
}
