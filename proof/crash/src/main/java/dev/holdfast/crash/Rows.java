package dev.holdfast.crash;

import dev.holdfast.StorageKind;
import dev.holdfast.crash.CrashStep.RowWrite;
import dev.holdfast.storage.ListOptions;
import dev.holdfast.storage.ObjectStorage;
import java.util.Map;
import java.util.TreeMap;

/** The rows of a cell: in a table, or in pairs if the storage has no tables. */
sealed interface Rows {

  static Rows of(ObjectStorage storage, StorageKind kind) {
    return kind.equals(StorageKind.SQLITE) ? new InTable(storage) : new InPairs(storage);
  }

  /** {@return whether a key holds a row and does not belong to the plan} */
  static boolean isRow(String key) {
    return key.startsWith(InPairs.PREFIX);
  }

  /** Creates the storage for rows, if it is missing. */
  void prepare();

  void write(RowWrite row);

  Map<Long, String> digests();

  /** Rows of a table. */
  record InTable(ObjectStorage storage) implements Rows {

    @Override
    public void prepare() {
      storage
          .sql()
          .exec("CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, body TEXT NOT NULL)");
    }

    @Override
    public void write(RowWrite row) {
      if (row.body().isPresent()) {
        storage
            .sql()
            .exec(
                "INSERT OR REPLACE INTO rows (id, body) VALUES (?, ?)", row.id(), row.body().get());
      } else {
        storage.sql().exec("DELETE FROM rows WHERE id = ?", row.id());
      }
    }

    @Override
    public Map<Long, String> digests() {
      Map<Long, String> rows = new TreeMap<>();
      storage.sql().exec("SELECT id, body FROM rows").stream()
          .forEach(row -> rows.put(row.getLong("id"), Digest.of(row.values().getLast())));
      return rows;
    }
  }

  /** Rows as pairs. */
  record InPairs(ObjectStorage storage) implements Rows {

    static final String PREFIX = "row:";

    @Override
    public void prepare() {}

    @Override
    public void write(RowWrite row) {
      if (row.body().isPresent()) {
        storage.put(PREFIX + row.id(), row.body().get());
      } else {
        storage.delete(PREFIX + row.id());
      }
    }

    @Override
    public Map<Long, String> digests() {
      Map<Long, String> rows = new TreeMap<>();
      storage.stream(ListOptions.ALL.withPrefix(PREFIX), Object.class)
          .forEach(
              row ->
                  rows.put(
                      Long.valueOf(row.getKey().substring(PREFIX.length())),
                      Digest.of(row.getValue())));
      return rows;
    }
  }
}
