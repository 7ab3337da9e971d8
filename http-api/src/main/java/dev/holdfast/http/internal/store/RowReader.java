package dev.holdfast.http.internal.store;

import dev.holdfast.sql.SqlRow;

/**
 * Reads a row.
 *
 * @param <T> the type of the result
 */
@FunctionalInterface
public interface RowReader<T> {

  /**
   * Reads a row.
   *
   * @param row the row
   * @return the result
   */
  T read(SqlRow row);
}
