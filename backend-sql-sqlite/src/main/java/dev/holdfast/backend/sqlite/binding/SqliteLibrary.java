package dev.holdfast.backend.sqlite.binding;

import dev.holdfast.TimeSource;
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
   * Opens a database in memory. It has no file, and ends with the connection.
   *
   * @param image the database; not one that is written with a log
   * @return the connection
   * @throws SqliteException if there is no memory for it
   */
  SqliteConnection open(byte[] image) throws SqliteException;

  /** Ends the use of the library: closes what it keeps for later openings. */
  default void close() {}

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
    return new JdbcLibrary(null).openImmutable(file);
  }

  /** {@return the library of sqlite-jdbc} */
  static SqliteLibrary jdbc() {
    return new JdbcLibrary(null);
  }

  /**
   * Returns the library of sqlite-jdbc, with the time of a runtime in SQL.
   *
   * @param time the clock. SQLite reads the clock of the operating system by itself; another one
   *     costs each call of a date or time function some microseconds
   * @return the library
   */
  static SqliteLibrary jdbc(TimeSource time) {
    return new JdbcLibrary(time.isOfOperatingSystem() ? null : new ClockFunctions(time));
  }
}
