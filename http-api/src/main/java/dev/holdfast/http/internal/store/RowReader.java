package dev.holdfast.http.internal.store;

import dev.holdfast.sql.SqlRow;

/**
 * Reads a row.
 *
 * @param <T> what it is read as
 */
@FunctionalInterface
public interface RowReader<T> {

  /**
   * Reads a row.
   *
   * @param row the row
   * @return what it says
   */
  T read(SqlRow row);
}
