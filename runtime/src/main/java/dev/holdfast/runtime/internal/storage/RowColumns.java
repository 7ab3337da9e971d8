package dev.holdfast.runtime.internal.storage;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.codec.ValueClass;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Maps the columns of a result to the components of a record or a class. Immutable. */
final class RowColumns<T> {

  private final Columns columns;
  private final ValueClass<T> target;
  private final ColumnType[] types;
  private final int[] indexes;

  private RowColumns(ValueClass<T> target, Columns columns) {
    this.columns = columns;
    this.target = target;
    this.types = new ColumnType[target.count()];
    this.indexes = new int[target.count()];
    List<String> folded = columns.names().stream().map(RowColumns::folded).toList();
    for (int i = 0; i < types.length; i++) {
      types[i] = ColumnType.of(target, i, columns);
      indexes[i] = columnOf(i, folded);
    }
  }

  /** Checks a class against the columns of a result. */
  static <T> RowColumns<T> of(Class<T> type, Columns columns) {
    ValueClass<T> target;
    try {
      target = ValueClass.of(type);
    } catch (CloneException e) {
      IllegalArgumentException refusal =
          columns.refusal("Rows cannot become " + type.getName() + ": " + e.reason() + ".");
      refusal.initCause(e);
      throw refusal;
    }
    return new RowColumns<>(target, columns);
  }

  private int columnOf(int component, List<String> folded) {
    String wanted = folded(target.name(component));
    for (int i = folded.size() - 1; i >= 0; i--) {
      if (folded.get(i).equals(wanted) || target.indexOf(columns.names().get(i)) == component) {
        return i;
      }
    }
    throw columns.refusal(
        "The result has no column for the component \""
            + target.name(component)
            + "\"; it has "
            + columns.names()
            + ". Select it, with AS if it has another name.");
  }

  private static String folded(String name) {
    return name.replace("_", "").toLowerCase(Locale.ROOT);
  }

  T row(@Nullable Object[] values) {
    @Nullable Object[] arguments = new @Nullable Object[types.length];
    for (int i = 0; i < arguments.length; i++) {
      arguments[i] = types[i].convert(values[indexes[i]], target.name(i), columns);
    }
    try {
      return target.create(arguments);
    } catch (CloneException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      IllegalArgumentException refusal =
          columns.refusal(
              "The constructor of "
                  + target.type()
                  + " refused the row: "
                  + cause
                  + ". Repair the row, or have the constructor take it.");
      refusal.initCause(cause);
      throw refusal;
    }
  }
}
