package dev.holdfast.backend.sqlite.database;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import java.util.HashMap;
import java.util.Map;

/**
 * The numbers of rows of tables, as far as the meter needs them: those of tables that a statement
 * has scanned in full. SQLite counts pages, not rows, at a percent of the cost of the scan. A
 * number is valid until the next write.
 *
 * <p>Confined to the holder of the database.
 */
public final class TableSizes {

  private final StatementCache statements;
  private final Map<String, Long> known = new HashMap<>();

  TableSizes(StatementCache statements) {
    this.statements = statements;
  }

  /** Forgets all numbers, because something was written. */
  public void forget() {
    if (!known.isEmpty()) {
      known.clear();
    }
  }

  public long of(String table) throws SqliteException {
    Long size = known.get(table);
    if (size == null) {
      size = count(table);
      known.put(table, size);
    }
    return size;
  }

  private long count(String table) throws SqliteException {
    String sql = "SELECT count(*) FROM main.\"" + table.replace("\"", "\"\"") + '"';
    SqliteStatement query = statements.take(sql);
    try {
      query.start();
      return query.integer(0);
    } finally {
      statements.giveBack(sql, query);
    }
  }
}
