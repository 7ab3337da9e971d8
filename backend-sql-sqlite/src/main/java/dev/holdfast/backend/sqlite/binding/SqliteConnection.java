package dev.holdfast.backend.sqlite.binding;

import java.nio.file.Path;
import java.util.function.BooleanSupplier;

/** An open database. Used by one thread at a time, except for {@link #interrupt}. */
public interface SqliteConnection extends SqliteStatements {

  /**
   * Runs statements that return no rows and have no parameters.
   *
   * @param sql one or more statements
   * @throws SqliteException if one fails; those before it have had their effect
   */
  void execute(String sql) throws SqliteException;

  /**
   * Compiles the first statement of a text.
   *
   * @param sql the text
   * @return the statement
   * @throws SqliteException if the text is not correct SQL
   */
  SqliteStatement prepare(String sql) throws SqliteException;

  /** {@return a newly compiled statement} */
  @Override
  default SqliteStatement take(String sql) throws SqliteException {
    return prepare(sql);
  }

  /** {@inheritDoc} Closes it. */
  @Override
  default void giveBack(String sql, SqliteStatement statement) {
    statement.close();
  }

  /**
   * Sets a limit for all statements of this connection.
   *
   * @param limit which of SQLite's run-time limits
   * @param value the new bound
   * @throws SqliteException if the library refuses
   */
  void limit(SqliteLimit limit, int value) throws SqliteException;

  /**
   * {@return how many rows the last insert, update or delete has changed}
   *
   * @throws SqliteException if the library refuses
   */
  long changes() throws SqliteException;

  /**
   * {@return how many rows were inserted, updated or deleted since the connection was opened, by
   * statements and by triggers}
   *
   * @throws SqliteException if the library refuses
   */
  long totalChanges() throws SqliteException;

  /**
   * Sets a handler that decides whether running statements continue.
   *
   * @param steps about how many instructions of SQLite's virtual machine run between two calls
   * @param stop whether the statement must fail with {@code SQLITE_INTERRUPT}; called by the thread
   *     that runs it, within the native call: it must not use the connection
   * @throws SqliteException if the library refuses
   */
  void onProgress(int steps, BooleanSupplier stop) throws SqliteException;

  /**
   * Copies the main database, as this connection sees it, page by page into another file. Blocks in
   * native code.
   *
   * @param file a file that is not in use; replaced
   * @throws SqliteException if the database cannot be read or the file cannot be written
   */
  void backupTo(Path file) throws SqliteException;

  /**
   * {@return the main database, as this connection sees it; no transaction is open}
   *
   * @throws SqliteException if it cannot be read
   */
  byte[] image() throws SqliteException;

  /** Makes a running statement of another thread fail with {@code SQLITE_INTERRUPT}. */
  void interrupt();

  /**
   * Closes the connection and its statements. Copies the write-ahead log into the database file, if
   * nothing prevents it, and then deletes the log.
   *
   * @throws SqliteException if the library refuses
   */
  void close() throws SqliteException;

  /**
   * Closes the connection and its statements, as {@link #close}. It has run no statement of an
   * application, no virtual table was used, and all its settings are as they were when it was
   * opened; so the library may use what is left for another database in memory.
   *
   * @throws SqliteException if the library refuses
   */
  default void closeForOthers() throws SqliteException {
    close();
  }

  /**
   * Closes the connection and its statements, and leaves the database file and the write-ahead log
   * as they are.
   *
   * @throws SqliteException if the library refuses
   */
  void closeWithoutCheckpoint() throws SqliteException;

  /**
   * The same after a failure, which is the one to report.
   *
   * @param failure receives a second failure as suppressed
   */
  default void abandonAfter(Throwable failure) {
    try {
      closeWithoutCheckpoint();
    } catch (SqliteException e) {
      failure.addSuppressed(e);
    }
  }
}
