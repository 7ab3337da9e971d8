package dev.holdfast.runtime.internal.storage;

import org.jspecify.annotations.Nullable;

/** The rows of a cursor as records. Confined to the object's turn. */
final class RecordForm<T extends Record> extends CursorForm<T> {

  private final GatedCursor cursor;
  private final RecordColumns<T> columns;

  RecordForm(GatedCursor cursor, RecordColumns<T> columns) {
    this.cursor = cursor;
    this.columns = columns;
  }

  @Override
  GatedCursor cursor() {
    return cursor;
  }

  @Override
  T form(@Nullable Object[] values) {
    return columns.record(values);
  }
}
