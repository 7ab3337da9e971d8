package dev.holdfast.runtime.internal.storage;

import dev.holdfast.sql.SqlRow;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/** One row of a result. Immutable except for its byte arrays. */
final class ColumnRow implements SqlRow {

  private final Columns columns;
  private final @Nullable Object[] values;

  ColumnRow(Columns columns, @Nullable Object[] values) {
    this.columns = columns;
    this.values = values;
  }

  @Override
  public @Nullable Object get(String column) {
    return values[columns.indexOf(column)];
  }

  @Override
  @SuppressWarnings("unchecked") // converted to this type
  public <T> @Nullable T get(String column, Class<T> type) {
    ColumnType wanted = ColumnType.of(type, columns.values());
    if (wanted == null) {
      throw columns.refusal(
          "Column \""
              + column
              + "\" cannot be read as "
              + type.getName()
              + ", which SQLite has no value for. Read it as String, long or the like, or give the"
              + " namespace a codec for it.");
    }
    return (T) wanted.convertColumn(get(column), column, columns);
  }

  @Override
  public long getLong(String column) {
    return get(column) instanceof Long number ? number : mismatch(column, "INTEGER");
  }

  @Override
  public double getDouble(String column) {
    return switch (get(column)) {
      case Double number -> number;
      case Long number -> number;
      case null, default -> mismatch(column, "REAL or INTEGER");
    };
  }

  @Override
  public @Nullable String getString(String column) {
    return switch (get(column)) {
      case null -> null;
      case String text -> text;
      default -> throw mismatchOf(column, "TEXT");
    };
  }

  @Override
  public byte @Nullable [] getBytes(String column) {
    return switch (get(column)) {
      case null -> null;
      case byte[] bytes -> bytes;
      default -> throw mismatchOf(column, "BLOB");
    };
  }

  @Override
  public List<@Nullable Object> values() {
    return Columns.listOf(values);
  }

  @Override
  public SequencedMap<String, @Nullable Object> toMap() {
    SequencedMap<String, @Nullable Object> map = new LinkedHashMap<>();
    for (int i = 0; i < values.length; i++) {
      map.put(columns.names().get(i), values[i]);
    }
    return map;
  }

  @Override
  public String toString() {
    return toMap().toString();
  }

  private long mismatch(String column, String expected) {
    throw mismatchOf(column, expected);
  }

  private IllegalArgumentException mismatchOf(String column, String expected) {
    Object value = get(column);
    return columns.refusal(
        "Column \""
            + column
            + "\" is not "
            + expected
            + " but "
            + (value == null
                ? "NULL. Ask get() first, or select COALESCE."
                : value.getClass().getSimpleName()
                    + ". Use the method of that type, or CAST the column."));
  }
}
