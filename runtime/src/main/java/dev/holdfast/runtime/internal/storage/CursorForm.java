package dev.holdfast.runtime.internal.storage;

import dev.holdfast.spi.SqlRows;
import dev.holdfast.sql.SqlResult;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** The rows of a cursor in one form. Confined to the object's turn. */
abstract class CursorForm<R extends @Nullable Object> implements SqlResult<R> {

  private static final String TOO_LARGE =
      "SQL query result set is too large to fit in memory. Use a streaming iterator (e.g. `for (row"
          + " : cursor)` or `cursor.raw()`) or add a LIMIT clause instead of calling toList() on a"
          + " very large result set.";

  /** Returns the cursor whose rows these are. */
  abstract GatedCursor cursor();

  /** Converts a row to this form. */
  abstract R form(@Nullable Object[] values);

  @Override
  public final List<String> columnNames() {
    return cursor().columns().names();
  }

  @Override
  public final boolean hasNext() {
    return !cursor().isAtEnd();
  }

  @Override
  public final R next() {
    return form(cursor().take());
  }

  @Override
  public final List<R> toList() {
    GatedCursor cursor = cursor();
    long bytesMax = cursor.sql().resultBytesMax();
    List<R> remaining = new ArrayList<>();
    long bytes = 0;
    while (!cursor.isAtEnd()) {
      @Nullable Object[] values = cursor.take();
      bytes += SqlRows.bytesOf(values);
      if (bytes > bytesMax) {
        cursor.abandon();
        throw cursor.sql().refusal(TOO_LARGE);
      }
      remaining.add(form(values));
    }
    return Collections.unmodifiableList(remaining);
  }

  @Override
  public final R one() {
    GatedCursor cursor = cursor();
    if (cursor.isAtEnd()) {
      throw cursor
          .sql()
          .refusal(
              "Expected exactly one result from SQL query, but got no results. Use toList() or"
                  + " hasNext() if there may be none.");
    }
    @Nullable Object[] only = cursor.take();
    if (!cursor.isAtEnd()) {
      cursor.abandon();
      throw cursor
          .sql()
          .refusal(
              "Expected exactly one result from SQL query, but got multiple results. Narrow the"
                  + " query, or use toList().");
    }
    return form(only);
  }

  @Override
  public final Stream<R> stream() {
    return StreamSupport.stream(
        Spliterators.spliteratorUnknownSize(this, Spliterator.ORDERED), /* parallel= */ false);
  }

  @Override
  public final long rowsRead() {
    return cursor().rows().rowsRead();
  }

  @Override
  public final long rowsWritten() {
    return cursor().rows().rowsWritten();
  }
}
