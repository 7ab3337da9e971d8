package dev.holdfast.runtime.internal.storage;

import dev.holdfast.SqlException;
import dev.holdfast.spi.SqlRows;
import dev.holdfast.sql.SqlCursor;
import dev.holdfast.sql.SqlResult;
import dev.holdfast.sql.SqlRow;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one statement. Reads one row ahead, so that a statement has ended when the
 * application has its last row. Confined to the object's turn.
 */
final class GatedCursor extends CursorForm<SqlRow> implements SqlCursor {

  private final GatedSql sql;
  private final SqlRows rows;
  private final Columns columns;
  private @Nullable Object @Nullable [] ahead;

  /**
   * Why rows may be missing. Later calls fail with it, so that no caller takes the failure for the
   * end.
   */
  private @Nullable SqlException failure;

  GatedCursor(GatedSql sql, SqlRows rows) {
    this.sql = sql;
    this.rows = rows;
    this.columns = new Columns(sql.object(), sql.values(), rows.columnNames());
  }

  /** Reads the first row, in the method that has begun the statement and passed its door. */
  void start() {
    ahead = read();
  }

  @Override
  GatedCursor cursor() {
    return this;
  }

  @Override
  SqlRow form(@Nullable Object[] values) {
    return new ColumnRow(columns, values);
  }

  @Override
  public SqlResult<List<@Nullable Object>> raw() {
    return new RawForm(this);
  }

  @Override
  public <T> SqlResult<T> as(Class<T> type) {
    return new RowForm<>(this, RowColumns.of(type, columns));
  }

  GatedSql sql() {
    return sql;
  }

  Columns columns() {
    return columns;
  }

  SqlRows rows() {
    return rows;
  }

  boolean isAtEnd() {
    if (failure != null) {
      throw failure;
    }
    return ahead == null;
  }

  @Nullable Object[] take() {
    @Nullable Object[] row = isAtEnd() ? null : ahead;
    if (row == null) {
      throw new NoSuchElementException("The statement has no further row.");
    }
    sql.admitRead(); // a refusal takes no row
    // If the next row cannot be read, this one is not returned either: the cursor has ended.
    ahead = null;
    ahead = read();
    return row;
  }

  /** Ends the statement before its last row. */
  void abandon() {
    ahead = null;
    rows.close();
    sql.ended(this);
  }

  private @Nullable Object @Nullable [] read() {
    boolean hasRow = false;
    try {
      @Nullable Object @Nullable [] row = sql.onStore(rows::next);
      hasRow = row != null;
      return row;
    } catch (SqlException e) {
      failure = e;
      throw e;
    } finally {
      if (!hasRow) {
        sql.ended(this);
      }
    }
  }
}
