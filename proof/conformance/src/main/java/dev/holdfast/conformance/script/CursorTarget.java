package dev.holdfast.conformance.script;

import dev.holdfast.clone.JsArray;
import dev.holdfast.clone.JsObject;
import dev.holdfast.clone.JsUndefined;
import dev.holdfast.conformance.value.Shown;
import dev.holdfast.sql.SqlCursor;
import dev.holdfast.sql.SqlRow;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A cursor: rows as objects; of columns with the same name, the last one is used. */
final class CursorTarget implements Target, Iterator<@Nullable Object> {

  private final SqlCursor cursor;

  CursorTarget(SqlCursor cursor) {
    this.cursor = cursor;
  }

  SqlCursor cursor() {
    return cursor;
  }

  /**
   * The counts of rows that the statement has read and written so far, under the names of the
   * recordings.
   */
  Map<String, Long> counters() {
    return Map.of("rr", cursor.rowsRead(), "rw", cursor.rowsWritten());
  }

  JsArray columnNames() {
    return new JsArray(cursor.columnNames());
  }

  @Override
  public @Nullable Object call(
      String method, List<@Nullable Object> arguments, @Nullable Closure closure) {
    return switch (method) {
      case "one" -> row(cursor.one());
      case "raw" -> new IteratorTarget("RawIterator", rawRows(), this);
      default -> IteratorTarget.call(this, method, arguments, this);
    };
  }

  @Override
  public @Nullable Object property(String name) {
    return switch (name) {
      case "columnNames" -> columnNames();
      case "rowsRead" -> (double) cursor.rowsRead();
      case "rowsWritten" -> (double) cursor.rowsWritten();
      case "next", "toArray", "one", "raw" -> Shown.object("function");
      default -> JsUndefined.UNDEFINED;
    };
  }

  @Override
  public boolean hasNext() {
    return cursor.hasNext();
  }

  @Override
  public @Nullable Object next() {
    return row(cursor.next());
  }

  private Iterator<@Nullable Object> rawRows() {
    Iterator<List<@Nullable Object>> raw = cursor.raw();
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return raw.hasNext();
      }

      @Override
      public Object next() {
        return new JsArray(raw.next().stream().map(Conversions::column).toList());
      }
    };
  }

  private JsObject row(SqlRow row) {
    JsObject object = new JsObject();
    List<String> names = cursor.columnNames();
    for (int i = 0; i < names.size(); i++) {
      // In JavaScript this name is not a property.
      if (!names.get(i).equals("__proto__")) {
        object.put(names.get(i), Conversions.column(row.values().get(i)));
      }
    }
    return object;
  }
}
