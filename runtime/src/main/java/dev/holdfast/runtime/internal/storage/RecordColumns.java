package dev.holdfast.runtime.internal.storage;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Maps the columns of a result to the components of a record. Immutable. */
final class RecordColumns<T extends Record> {

  private final Columns columns;
  private final Constructor<T> constructor;
  private final RecordComponent[] components;
  private final ColumnType[] types;
  private final int[] indexes;

  private RecordColumns(Class<T> type, Columns columns) {
    this.columns = columns;
    this.components = type.getRecordComponents();
    this.types = new ColumnType[components.length];
    this.indexes = new int[components.length];
    for (int i = 0; i < components.length; i++) {
      types[i] = ColumnType.of(components[i], columns);
      indexes[i] = indexOf(components[i].getName(), columns);
    }
    this.constructor = constructor(type);
  }

  /** Checks a record against the columns of a result. */
  static <T extends Record> RecordColumns<T> of(Class<T> type, Columns columns) {
    return new RecordColumns<>(type, columns);
  }

  private static int indexOf(String component, Columns columns) {
    String wanted = folded(component);
    for (int i = columns.names().size() - 1; i >= 0; i--) {
      if (folded(columns.names().get(i)).equals(wanted)) {
        return i;
      }
    }
    throw columns.refusal(
        "The result has no column for the component \""
            + component
            + "\"; it has "
            + columns.names()
            + ". Select it, with AS if it has another name.");
  }

  private static String folded(String name) {
    return name.replace("_", "").toLowerCase(Locale.ROOT);
  }

  private Constructor<T> constructor(Class<T> type) {
    Class<?>[] parameters =
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    try {
      Constructor<T> canonical = type.getDeclaredConstructor(parameters);
      if (!canonical.trySetAccessible()) {
        throw new IllegalArgumentException(
            type
                + " cannot be created: make it public in an exported package, or open its package"
                + " to dev.holdfast.runtime.");
      }
      return canonical;
    } catch (NoSuchMethodException e) {
      throw new IllegalArgumentException(type + " has no canonical constructor.", e);
    }
  }

  T record(@Nullable Object[] values) {
    @Nullable Object[] arguments = new @Nullable Object[components.length];
    for (int i = 0; i < arguments.length; i++) {
      arguments[i] = types[i].convert(values[indexes[i]], components[i].getName(), columns);
    }
    try {
      return constructor.newInstance(arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof VirtualMachineError error) {
        throw error; // resets the object
      }
      IllegalArgumentException refusal =
          columns.refusal(
              "The constructor of "
                  + constructor.getDeclaringClass()
                  + " refused the row: "
                  + e.getCause());
      refusal.initCause(e.getCause());
      throw refusal;
    } catch (InstantiationException | IllegalAccessException e) {
      throw new IllegalStateException(constructor + " is accessible but cannot be called", e);
    }
  }
}
