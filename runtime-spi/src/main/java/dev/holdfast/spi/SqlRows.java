package dev.holdfast.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rows of a statement. Used by the thread that runs the turn. */
public interface SqlRows extends AutoCloseable {

  /** {@return the names of the columns, duplicates kept; empty for a statement without a result} */
  List<String> columnNames();

  /**
   * Moves to the next row and returns its values.
   *
   * @return {@code Long}, {@code Double}, {@code String}, {@code byte[]} or null for each column,
   *     in an array the caller owns; null if there is no further row, and on every later call
   * @throws dev.holdfast.SqlException if the statement fails, or has ended with its turn or a
   *     {@code deleteAll}
   */
  @Nullable Object @Nullable [] next();

  /**
   * {@return the number of rows the statement has read so far, as defined by {@link
   * dev.holdfast.sql.SqlResult#rowsRead}; kept after the end}
   */
  long rowsRead();

  /** {@return the number of rows the statement has written; kept after the end} */
  long rowsWritten();

  /**
   * Returns the approximate memory size of a row.
   *
   * @param row the values
   * @return the size in bytes
   */
  static long bytesOf(@Nullable Object[] row) {
    long bytes = 32 + 8L * row.length;
    for (Object value : row) {
      bytes +=
          switch (value) {
            case null -> 0;
            case String text -> 56 + text.length();
            case byte[] blob -> 16 + blob.length;
            default -> 24;
          };
    }
    return bytes;
  }

  /** Frees the statement. Closing twice has no effect. */
  @Override
  void close();
}
