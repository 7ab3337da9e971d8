package dev.holdfast.sql;

import java.util.List;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * One row of a result. Values are {@code Long}, {@code Double}, {@code String}, {@code byte[]} or
 * null, exactly as SQLite holds them. Immutable except for its byte arrays, which belong to the
 * reader.
 */
public interface SqlRow {

  /**
   * Returns the value of a column; if several have the name, of the last one.
   *
   * @param column the name of the column
   * @return the value
   * @throws IllegalArgumentException if there is no such column
   */
  @Nullable Object get(String column);

  /**
   * Returns a value as a Java type, by the rules of {@link SqlCursor#as}.
   *
   * @param <T> the type
   * @param column the name of the column
   * @param type the type, such as {@code UUID.class}
   * @return the value; null for NULL
   * @throws IllegalArgumentException if there is no such column, the value does not fit the type,
   *     or columns cannot be read as it
   */
  <T> @Nullable T get(String column, Class<T> type);

  /**
   * Returns an INTEGER value.
   *
   * @param column the name of the column
   * @return the value
   * @throws IllegalArgumentException if there is no such column, or it holds another type
   */
  long getLong(String column);

  /**
   * Returns a REAL or INTEGER value as a double.
   *
   * @param column the name of the column
   * @return the value
   * @throws IllegalArgumentException if there is no such column, or it holds another type
   */
  double getDouble(String column);

  /**
   * Returns a TEXT value or null.
   *
   * @param column the name of the column
   * @return the value
   * @throws IllegalArgumentException if there is no such column, or it holds another type
   */
  @Nullable String getString(String column);

  /**
   * Returns a BLOB value or null.
   *
   * @param column the name of the column
   * @return the value
   * @throws IllegalArgumentException if there is no such column, or it holds another type
   */
  byte @Nullable [] getBytes(String column);

  /** {@return the values in column order} */
  List<@Nullable Object> values();

  /**
   * {@return column names with their values, in column order; if several have a name, the last one}
   */
  SequencedMap<String, @Nullable Object> toMap();
}
