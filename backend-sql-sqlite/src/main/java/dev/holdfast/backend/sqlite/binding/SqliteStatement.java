package dev.holdfast.backend.sqlite.binding;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A prepared statement. Used by the thread that uses its connection. An error other than a violated
 * constraint may close the statement; see {@link #isOpen}.
 */
public interface SqliteStatement extends AutoCloseable {

  /** {@return whether the statement can be run} */
  boolean isOpen();

  /** {@return how many parameters it has: SQLite's highest parameter index} */
  int parameterCount();

  /** {@return how many columns its result has; 0 for a statement without one} */
  int columnCount();

  /**
   * {@return the names of the result's columns}
   *
   * @throws SqliteException if memory runs out
   */
  List<String> columnNames() throws SqliteException;

  /**
   * Binds all parameters and makes the first step. The statement must be reset.
   *
   * @param bindings {@code Long}, {@code Double}, {@code String}, {@code byte[]} or null each; as
   *     many as there are parameters
   * @return true if there is a row; false if the statement has ended, and is reset
   * @throws SqliteException if it fails; the statement is reset or closed
   */
  boolean start(@Nullable Object... bindings) throws SqliteException;

  /**
   * Runs a statement without parameters and without rows to its end, and resets it.
   *
   * @throws SqliteException if it fails; the statement is reset
   */
  void run() throws SqliteException;

  /**
   * Makes one step.
   *
   * @return true if there is a row; false if the statement has ended, and is reset
   * @throws SqliteException if it fails; the statement is reset
   */
  boolean step() throws SqliteException;

  /**
   * {@return a value of the current row: Long, Double, String, byte[] or null}
   *
   * @param column counted from 0
   * @throws SqliteException if memory runs out
   */
  @Nullable Object value(int column) throws SqliteException;

  /**
   * Reads the values of the current row, each as {@link #value} does.
   *
   * @param values filled with the first columns, up to its length
   * @throws SqliteException if memory runs out
   */
  void values(@Nullable Object[] values) throws SqliteException;

  /**
   * {@return the bytes of a value of the current row, a TEXT in UTF-8; empty for NULL}
   *
   * @param column counted from 0
   * @throws SqliteException if memory runs out
   */
  byte[] bytes(int column) throws SqliteException;

  /**
   * {@return a value of the current row as an integer}
   *
   * @param column counted from 0
   * @throws SqliteException if the library refuses
   */
  long integer(int column) throws SqliteException;

  /** Releases the current row, so that the statement holds no part of the database. */
  void reset();

  /** Frees the statement. Closing twice does nothing. */
  @Override
  void close();
}
