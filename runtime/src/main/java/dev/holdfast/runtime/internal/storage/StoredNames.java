package dev.holdfast.runtime.internal.storage;

import dev.holdfast.spi.KeyRange;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.SqlRows;
import dev.holdfast.spi.StoreScan;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.storage.ListOptions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the names of what an object has stored, and its size, for operators. */
public final class StoredNames {

  private static final String TABLES =
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_cf\\_%' ESCAPE"
          + " '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name";

  private static final @Nullable Object[] NO_BINDINGS = {};

  private StoredNames() {}

  /**
   * Reads keys.
   *
   * @param key the object
   * @param turn an open turn of it
   * @param options which keys, in which order
   * @return the keys
   */
  public static List<String> keys(ObjectKey key, StoreTurn turn, ListOptions options) {
    KeyRange range = new StorageKeys(key).range(options);
    List<String> keys = new ArrayList<>();
    if (range != null) {
      try (StoreScan scan = turn.scan(range)) {
        while (scan.next()) {
          keys.add(StorageKeys.decode(scan.key()));
        }
      }
    }
    return List.copyOf(keys);
  }

  /**
   * {@return the names of the tables, in their order}
   *
   * @param turn an open turn of an object with SQL
   */
  public static List<String> tables(StoreTurn turn) {
    List<String> names = new ArrayList<>();
    try (SqlRows rows = turn.exec(TABLES, NO_BINDINGS)) {
      for (@Nullable Object @Nullable [] row = rows.next(); row != null; row = rows.next()) {
        names.add(String.valueOf(row[0]));
      }
    }
    return List.copyOf(names);
  }

  /**
   * {@return the bytes of all keys and values, which are all read}
   *
   * @param turn an open turn of an object
   */
  public static long bytes(StoreTurn turn) {
    long bytes = 0;
    try (StoreScan scan = turn.scan(new KeyRange(null, null, false, Integer.MAX_VALUE))) {
      while (scan.next()) {
        bytes += scan.key().length + scan.value().length;
      }
    }
    return bytes;
  }
}
