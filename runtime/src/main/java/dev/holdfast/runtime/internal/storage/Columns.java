package dev.holdfast.runtime.internal.storage;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The columns of a result, shared by its rows. Immutable. */
final class Columns {

  private final List<String> names;
  private final Map<String, Integer> lastIndexes;

  Columns(List<String> names) {
    this.names = names;
    this.lastIndexes = new HashMap<>();
    for (int i = 0; i < names.size(); i++) {
      lastIndexes.put(names.get(i), i);
    }
  }

  List<String> names() {
    return names;
  }

  /** Returns the values of a row as a list that does not change. */
  static List<@Nullable Object> listOf(@Nullable Object[] row) {
    List<@Nullable Object> list = new ArrayList<>(row.length);
    for (Object value : row) {
      list.add(value);
    }
    return Collections.unmodifiableList(list);
  }

  /** The index of a column; of the last one where several have the name. */
  int indexOf(String name) {
    Integer index = lastIndexes.get(name);
    if (index == null) {
      throw new IllegalArgumentException(
          "The result has no column \"" + name + "\"; it has " + names + ".");
    }
    return index;
  }
}
