package dev.holdfast.backend.sqlite.binding;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A source of prepared statements, and the usual ways to run one to its end: a {@linkplain
 * SqliteConnection connection} compiles a statement for each use, a {@linkplain StatementCache
 * cache} keeps it. Used by the thread that uses the connection.
 */
public interface SqliteStatements {

  /** Receives the rows of a statement. */
  @FunctionalInterface
  interface RowVisitor {

    /**
     * Visits a row.
     *
     * @param row the statement, on that row
     * @throws SqliteException if the row cannot be read
     */
    void visit(SqliteStatement row) throws SqliteException;
  }

  /** Makes a value of a row. */
  @FunctionalInterface
  interface RowReader<T extends @Nullable Object> {

    /**
     * Reads a row.
     *
     * @param row the statement, on that row
     * @return the value
     * @throws SqliteException if the row cannot be read
     */
    T read(SqliteStatement row) throws SqliteException;
  }

  /**
   * Returns a statement that is not in use elsewhere, reset.
   *
   * @param sql its text
   * @return the statement
   * @throws SqliteException if the text is not correct SQL
   */
  SqliteStatement take(String sql) throws SqliteException;

  /**
   * Ends the use of a statement.
   *
   * @param sql its text
   * @param statement the statement
   */
  void giveBack(String sql, SqliteStatement statement);

  /**
   * Runs a statement that returns no row that matters.
   *
   * @param sql its text
   * @param bindings its parameters
   * @throws SqliteException if it fails
   */
  default void run(String sql, @Nullable Object... bindings) throws SqliteException {
    hasRow(sql, bindings);
  }

  /**
   * Visits the rows of a statement.
   *
   * @param sql its text
   * @param visitor receives them
   * @param bindings its parameters
   * @throws SqliteException if it fails, or the visitor does
   */
  default void forEach(String sql, RowVisitor visitor, @Nullable Object... bindings)
      throws SqliteException {
    SqliteStatement statement = take(sql);
    try {
      for (boolean row = statement.start(bindings); row; row = statement.step()) {
        visitor.visit(statement);
      }
    } finally {
      giveBack(sql, statement);
    }
  }

  /**
   * {@return a value for each row of a statement}
   *
   * @param sql its text
   * @param reader makes the values
   * @param bindings its parameters
   * @throws SqliteException if it fails, or the reader does
   */
  default <T> List<T> list(String sql, RowReader<T> reader, @Nullable Object... bindings)
      throws SqliteException {
    List<T> values = new ArrayList<>();
    forEach(sql, row -> values.add(reader.read(row)), bindings);
    return values;
  }

  /**
   * {@return the texts in the first column of a statement}
   *
   * @param sql its text
   * @param bindings its parameters
   * @throws SqliteException if it fails
   */
  default List<String> texts(String sql, @Nullable Object... bindings) throws SqliteException {
    return list(sql, row -> String.valueOf(row.value(0)), bindings);
  }

  /**
   * {@return the value of the first row of a statement; null if there is no row}
   *
   * @param sql its text
   * @param reader makes the value
   * @param bindings its parameters
   * @throws SqliteException if it fails, or the reader does
   */
  default <T> @Nullable T first(
      String sql, RowReader<? extends @Nullable T> reader, @Nullable Object... bindings)
      throws SqliteException {
    SqliteStatement statement = take(sql);
    try {
      return statement.start(bindings) ? reader.read(statement) : null;
    } finally {
      giveBack(sql, statement);
    }
  }

  /**
   * {@return the integer in the first column of the first row; 0 if there is no row}
   *
   * @param sql the text of the statement
   * @param bindings its parameters
   * @throws SqliteException if it fails
   */
  default long integer(String sql, @Nullable Object... bindings) throws SqliteException {
    Long first = first(sql, row -> row.integer(0), bindings);
    return first == null ? 0 : first;
  }

  /**
   * {@return whether a statement has a row}
   *
   * @param sql its text
   * @param bindings its parameters
   * @throws SqliteException if it fails
   */
  default boolean hasRow(String sql, @Nullable Object... bindings) throws SqliteException {
    SqliteStatement statement = take(sql);
    try {
      return statement.start(bindings);
    } finally {
      giveBack(sql, statement);
    }
  }
}
