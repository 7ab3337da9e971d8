package dev.holdfast.backend.sqlite.meter;

import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;

/**
 * Counts the rows that one execution of a statement reads and writes. All that the engine asks of
 * this package at run time. Counts nothing by itself. Confined to the object's turn.
 */
public interface RowCounter {

  /** For statements that touch no row that counts. */
  RowCounter NONE = new RowCounter() {};

  /** The execution whose rows are counted. */
  interface Execution {

    /** {@return the connection it runs on} */
    SqliteConnection connection();

    /** {@return how many instructions have run, up to the last progress call} */
    long stepsRun();

    /**
     * {@return the number of entries of a table or index} Counting a large one takes long.
     *
     * @param root its root page
     * @throws SqliteException if it cannot be read
     */
    long entries(int root) throws SqliteException;
  }

  /**
   * Called before a statement that writes runs: afterwards the tables it reads have changed.
   *
   * @throws SqliteException if the size of a table cannot be read
   */
  default void beforeWriting() throws SqliteException {}

  /**
   * Called after a statement has made its writes.
   *
   * @param changes how many rows it, its triggers and foreign keys have changed
   * @throws SqliteException if the library refuses
   */
  default void wrote(long changes) throws SqliteException {}

  /** Called when the statement stands on another row. */
  default void row() {}

  /**
   * Called when the statement has ended by itself.
   *
   * @throws SqliteException if the size of a table cannot be read
   */
  default void done() throws SqliteException {}

  /**
   * Called when the statement was ended early. Afterwards the connection is not used: it may have
   * another owner, or be closed.
   *
   * @param isOfInterest whether the number of rows read may still be requested
   */
  default void stopped(boolean isOfInterest) {}

  /**
   * {@return the rows read until now}
   *
   * @throws SqliteException if the size of a table cannot be read
   */
  default long rowsRead() throws SqliteException {
    return 0;
  }

  /** {@return the rows written} */
  default long rowsWritten() {
    return 0;
  }
}
