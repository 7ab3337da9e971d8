package dev.holdfast.sql;

import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one statement, read on demand. Like the reference's cursor it runs one row ahead of
 * what was delivered. Cursor and {@link #raw} views share one position.
 *
 * <p>A cursor ends when its last row was delivered. One that is left before that ends with its turn
 * at the latest. Owned by the object's turn.
 */
public interface SqlCursor extends Iterator<SqlRow> {

  /**
   * {@return the names of the result's columns in order, duplicates kept; empty without a result}
   */
  List<String> columnNames();

  /** {@return the remaining rows} */
  List<SqlRow> toList();

  /**
   * Returns the only row.
   *
   * @return the row
   * @throws dev.holdfast.SqlException if there is no row left, or more than one; the cursor has
   *     ended then
   */
  SqlRow one();

  /** {@return the remaining rows as lists of column values, sharing this cursor's position} */
  Iterator<List<@Nullable Object>> raw();

  /** {@return the remaining rows as a stream, sharing this cursor's position} */
  Stream<SqlRow> stream();
}
