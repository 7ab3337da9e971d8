package dev.holdfast.runtime.internal.storage;

import org.jspecify.annotations.Nullable;

/** The rows of a cursor as records or instances of a class. Confined to the object's turn. */
final class RowForm<T> extends CursorForm<T> {

  private final GatedCursor cursor;
  private final RowColumns<T> columns;

  RowForm(GatedCursor cursor, RowColumns<T> columns) {
    this.cursor = cursor;
    this.columns = columns;
  }

  @Override
  GatedCursor cursor() {
    return cursor;
  }

  @Override
  T form(@Nullable Object[] values) {
    return columns.row(values);
  }
}
