package dev.holdfast.benchmarks.objects;

/** An object with a small table. */
public interface Entries {

  /** The table, on both sides of a comparison. */
  String TABLE = "CREATE TABLE IF NOT EXISTS entry(id INTEGER PRIMARY KEY, value BLOB NOT NULL)";

  /** Writes a row, on both sides of a comparison. */
  String UPSERT =
      "INSERT INTO entry(id, value) VALUES (?, ?)"
          + " ON CONFLICT(id) DO UPDATE SET value = excluded.value";

  /** Reads a row, on both sides of a comparison. */
  String SELECT = "SELECT value FROM entry WHERE id = ?";

  /** Writes a row. */
  void put(long id, byte[] value);

  /** Returns the length of a row's value; 0 if there is no such row. */
  long size(long id);
}
