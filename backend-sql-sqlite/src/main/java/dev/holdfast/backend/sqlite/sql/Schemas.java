package dev.holdfast.backend.sqlite.sql;

import dev.holdfast.backend.sqlite.binding.SqliteBounds;
import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The schemas seen lately, so that equal ones are shared. One with statistics is not: how SQLite
 * runs a statement depends on what the object's own tables had when they were collected.
 * Thread-safe.
 */
public final class Schemas {

  private final Map<List<Schema.Entry>, Schema> known = new ConcurrentHashMap<>();

  /** Reads the current schema of a database. */
  Schema read(SqliteConnection connection) throws SqliteException {
    List<Schema.Entry> entries = List.copyOf(Schema.entries(connection));
    if (entries.stream().anyMatch(Schema.Entry::isStatistics)) {
      return Schema.of(connection, entries);
    }
    Schema schema = known.get(entries);
    if (schema == null) {
      schema = Schema.of(connection, entries);
      if (known.size() >= SqliteBounds.SCHEMAS_MAX) {
        known.clear();
      }
      known.put(entries, schema);
    }
    return schema;
  }
}
