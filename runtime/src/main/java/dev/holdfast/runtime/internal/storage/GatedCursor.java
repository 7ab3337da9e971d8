package dev.holdfast.runtime.internal.storage;

import dev.holdfast.spi.SqlRows;
import dev.holdfast.sql.SqlCursor;
import dev.holdfast.sql.SqlRow;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one statement. One row ahead of what was delivered, so that a statement has ended
 * when its last row is in the application's hands. Owned by the object's turn.
 */
final class GatedCursor implements SqlCursor {

  private final GatedSql sql;
  private final SqlRows rows;
  private final Columns columns;
  private @Nullable Object @Nullable [] ahead;

  GatedCursor(GatedSql sql, SqlRows rows) {
    this.sql = sql;
    this.rows = rows;
    this.columns = new Columns(List.copyOf(rows.columnNames()));
    this.ahead = read();
  }

  @Override
  public List<String> columnNames() {
    return columns.names();
  }

  @Override
  public boolean hasNext() {
    return ahead != null;
  }

  @Override
  public SqlRow next() {
    return new ColumnRow(columns, take());
  }

  @Override
  public List<SqlRow> toList() {
    List<SqlRow> remaining = new ArrayList<>();
    forEachRemaining(remaining::add);
    return Collections.unmodifiableList(remaining);
  }

  @Override
  public SqlRow one() {
    if (!hasNext()) {
      throw sql.refusal("Expected exactly one result from SQL query, but got no results.");
    }
    SqlRow only = next();
    if (hasNext()) {
      ahead = null;
      rows.close();
      throw sql.refusal("Expected exactly one result from SQL query, but got multiple results.");
    }
    return only;
  }

  @Override
  public Iterator<List<@Nullable Object>> raw() {
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return GatedCursor.this.hasNext();
      }

      @Override
      public List<@Nullable Object> next() {
        return Columns.listOf(take());
      }
    };
  }

  @Override
  public Stream<SqlRow> stream() {
    return StreamSupport.stream(
        Spliterators.spliteratorUnknownSize(this, Spliterator.ORDERED | Spliterator.NONNULL),
        /* parallel= */ false);
  }

  private @Nullable Object[] take() {
    @Nullable Object[] row = ahead;
    if (row == null) {
      throw new NoSuchElementException("The statement has no further row.");
    }
    ahead = read();
    return row;
  }

  private @Nullable Object @Nullable [] read() {
    return sql.guarded(rows::next);
  }
}
