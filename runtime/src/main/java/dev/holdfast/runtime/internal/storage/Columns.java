package dev.holdfast.runtime.internal.storage;

import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.runtime.internal.RuntimeBounds;
import dev.holdfast.spi.ObjectKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The columns of a result, shared by its rows. Confined to the object's turn. */
final class Columns {

  private final ObjectKey object;
  private final StructuredClone values;
  private final List<String> names;
  private @Nullable Map<String, Integer> lastIndexes;

  /**
   * @param object whose statement it is, for the errors
   * @param values how values of the namespace are stored
   * @param names in their order
   */
  Columns(ObjectKey object, StructuredClone values, List<String> names) {
    this.object = object;
    this.values = values;
    this.names = names;
  }

  /** {@return how values of the namespace are stored} */
  StructuredClone values() {
    return values;
  }

  List<String> names() {
    return names;
  }

  /** Returns the values of a row as an unmodifiable list. */
  static List<@Nullable Object> listOf(@Nullable Object[] row) {
    List<@Nullable Object> list = new ArrayList<>(row.length);
    for (Object value : row) {
      list.add(value);
    }
    return Collections.unmodifiableList(list);
  }

  /** Returns the index of a column; if several have the name, the index of the last one. */
  int indexOf(String name) {
    int index =
        names.size() <= RuntimeBounds.COLUMNS_SCANNED_MAX
            ? scan(name)
            : indexes().getOrDefault(name, -1);
    if (index < 0) {
      throw refusal("The result has no column \"" + name + "\"; it has " + names + ".");
    }
    return index;
  }

  /** {@return the error of a value or a record that does not fit the columns} */
  IllegalArgumentException refusal(String message) {
    return new IllegalArgumentException(
        message + " [object " + object.namespace() + "/" + object.id() + "]");
  }

  private int scan(String name) {
    for (int i = names.size() - 1; i >= 0; i--) {
      if (names.get(i).equals(name)) {
        return i;
      }
    }
    return -1;
  }

  private Map<String, Integer> indexes() {
    Map<String, Integer> known = lastIndexes;
    if (known == null) {
      known = new HashMap<>();
      for (int i = 0; i < names.size(); i++) {
        known.put(names.get(i), i);
      }
      lastIndexes = known;
    }
    return known;
  }
}
