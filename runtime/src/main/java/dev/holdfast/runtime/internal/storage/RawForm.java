package dev.holdfast.runtime.internal.storage;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rows of a cursor as lists of values. Confined to the object's turn. */
final class RawForm extends CursorForm<List<@Nullable Object>> {

  private final GatedCursor cursor;

  RawForm(GatedCursor cursor) {
    this.cursor = cursor;
  }

  @Override
  GatedCursor cursor() {
    return cursor;
  }

  @Override
  List<@Nullable Object> form(@Nullable Object[] values) {
    return Columns.listOf(values);
  }
}
